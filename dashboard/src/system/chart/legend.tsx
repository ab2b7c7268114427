import './legend.css';

interface Props {
  readonly entries: readonly { readonly look?: string; readonly name: string }[];
}

/** What the colours of a chart stand for. */
export function Legend({ entries }: Props) {
  return (
    <span class="legend">
      {entries.map(({ look, name }) => (
        <span key={name}>
          <i class={look} />
          {name}
        </span>
      ))}
    </span>
  );
}
