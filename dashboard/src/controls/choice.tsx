import './field.css';

interface Props<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly disabled?: boolean;
  readonly onChange: (value: T) => void;
}

/** One of several, in the browser's own list. */
export function Choice<T extends string>({ label, value, options, disabled, onChange }: Props<T>) {
  return (
    <select
      class="select"
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => {
        const next = options.find((each) => each.value === event.currentTarget.value);
        if (next) onChange(next.value);
      }}
    >
      {options.map((each) => (
        <option key={each.value} value={each.value}>
          {each.label}
        </option>
      ))}
    </select>
  );
}
