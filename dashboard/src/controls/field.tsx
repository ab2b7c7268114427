import type { ComponentChildren, InputHTMLAttributes, Ref } from 'preact';
import './field.css';

interface FieldProps {
  /** The accessible name, which is not visible. If a visible `<label for>` exists, set `id` instead. */
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

/** Renders a single-line text field. */
export function Field(props: FieldProps) {
  const { label, bad = false, describedBy, before, after, inputRef, onInput, ...input } = props;
  // Preact types an input by a literal `type`; here `type` is a union.
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

/** Renders the browser's own drop-down list. */
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
