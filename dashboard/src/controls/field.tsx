import type { ComponentChildren, InputHTMLAttributes, Ref } from 'preact';
import './field.css';

interface FieldProps {
  /** Its name, not seen; where a visible `<label for>` stands beside it, `id` is enough. */
  readonly label?: string;
  readonly id?: string;
  readonly type?: 'text' | 'search' | 'password' | 'number';
  readonly value: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly autoComplete?: string;
  readonly spellcheck?: boolean;
  readonly bad?: boolean;
  readonly disabled?: boolean;
  readonly describedBy?: string;
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren;
  readonly inputRef?: Ref<HTMLInputElement>;
  readonly onInput: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A line of text. */
export function Field(props: FieldProps) {
  const { label, bad = false, describedBy, before, after, inputRef, onInput, ...input } = props;
  // Preact types an input by its literal `type`; here it is one of several.
  const attributes = input as InputHTMLAttributes<HTMLInputElement>;
  return (
    <span class={bad ? 'field is-bad' : 'field'}>
      {before}
      <input
        {...attributes}
        ref={inputRef ?? null}
        aria-label={label}
        aria-invalid={bad}
        aria-describedby={describedBy}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {after}
    </span>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly disabled?: boolean;
  readonly onChange: (value: T) => void;
}

/** One of several, in the browser's own list. */
export function Choice<T extends string>({
  label,
  value,
  options,
  disabled,
  onChange,
}: ChoiceProps<T>) {
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
