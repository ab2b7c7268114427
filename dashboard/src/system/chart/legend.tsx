import './legend.css';

interface Props {
  readonly entries: readonly { readonly look?: string; readonly name: string }[];
}

/** The meaning of the colours of a chart. */
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
