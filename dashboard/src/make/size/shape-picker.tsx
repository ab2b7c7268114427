import { rovingFocus } from '../../controls/inputs.tsx';

interface Choice {
  readonly name: string;
  readonly label: string;
  /** Width divided by height. */
  readonly ratio: number;
  /** The id of the text that says why the shape cannot be chosen. Absent if it can be chosen. */
  readonly reasonId?: string | undefined;
}

interface Props<T> {
  /** The id of the title. */
  readonly labelId: string;
  /** The choices, of which the first means no shape. */
  readonly choices: readonly T[];
  /** The name of the present choice. Undefined if the present size has none of the shapes. */
  readonly current: string | undefined;
  readonly onChoose: (choice: T) => void;
}

/** Renders shapes of which one can be chosen. The shapes are drawn with equal areas. */
export function ShapePicker<T extends Choice>({ labelId, choices, current, onChoose }: Props<T>) {
  const [none] = choices;
  const reachable = choices.find(({ name }) => name === current) ?? none;
  return (
    <div
      class="shapes"
      role="radiogroup"
      aria-labelledby={labelId}
      onKeyDown={rovingFocus((index) => {
        const choice = choices[index];
        if (choice) onChoose(choice);
      })}
    >
      {choices.map((choice) => (
        <button
          key={choice.name}
          type="button"
          role="radio"
          class={choice === none ? 'pickable auto' : 'pickable'}
          aria-checked={choice.name === current}
          aria-describedby={choice.reasonId}
          tabIndex={choice === reachable ? 0 : -1}
          disabled={choice.reasonId !== undefined}
          onClick={() => onChoose(choice)}
        >
          <i style={{ '--r': String(choice.ratio) }} />
          <span>{choice.label}</span>
        </button>
      ))}
    </div>
  );
}
