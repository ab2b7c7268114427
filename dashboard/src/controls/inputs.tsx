import { Minus, Plus } from 'lucide';
import type { ComponentChildren, ComponentProps, InputHTMLAttributes } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './button.tsx';
import { isRightToLeft } from './reading-order.ts';
import './inputs.css';

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onInput' | 'onChange'>;

interface FieldProps extends InputProps {
  /** The accessible name, which is not visible. If a visible `<label for>` exists, set `id` instead. */
  readonly label?: string;
  readonly value: string;
  readonly bad?: boolean;
  /** The id of a `<datalist>` with suggestions. */
  readonly list?: string;
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren;
  readonly onInput: (value: string) => void;
}

export function Field(props: FieldProps) {
  const { label, bad = false, before, after, onInput, ...input } = props;
  // Preact chooses the attribute types by the literal `type` of an input. Here `type` is a union of several literals.
  const attributes = input as ComponentProps<'input'>;
  return (
    <span class={bad ? 'field row edged is-bad' : 'field row edged'}>
      {before}
      <input
        spellcheck={false}
        autoComplete="off"
        {...attributes}
        aria-label={label}
        aria-invalid={bad}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {after}
    </span>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly {
    readonly value: T;
    readonly label: ComponentChildren;
    /** The tooltip, for a label whose words may be hidden. */
    readonly title?: string;
  }[];
  readonly disabled?: boolean;
  readonly onChange: (value: T) => void;
}

/** Renders the browser's own drop-down list. */
export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { label, value, options, disabled, onChange } = props;
  return (
    <select
      class="select edged"
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

/** Renders a radio group whose options are all visible. Arrow keys move the selection. */
export function Segmented<T extends string>(props: ChoiceProps<T> & { readonly wide?: boolean }) {
  const { label, options, value, onChange, wide, disabled } = props;
  const group = useRef<HTMLDivElement>(null);
  // A key can change the value while another option has the focus.
  useLayoutEffect(() => {
    const { activeElement } = document;
    const checked = group.current?.querySelector<HTMLElement>('[aria-checked="true"]');
    if (activeElement !== checked && group.current?.contains(activeElement)) checked?.focus();
  }, [value]);
  const onKeyDown = rovingFocus((index) => {
    const option = options[index];
    if (option) onChange(option.value);
  });
  return (
    <div
      ref={group}
      class={wide ? 'seg edged wide' : 'seg edged'}
      role="radiogroup"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          class="pickable"
          title={option.title}
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          disabled={disabled}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

/**
 * Returns a key handler for a group of buttons with a single Tab stop, according to the ARIA Authoring Practices. From right to left,
 * the next button is on the left.
 * `onMove` receives the index of the newly focused button.
 */
export function rovingFocus(onMove: (index: number) => void) {
  return (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    const items = buttons.filter(({ disabled }) => !disabled);
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = (at + 1) % items.length;
    const before = (at - 1 + items.length) % items.length;
    const isMirrored = isRightToLeft(event.currentTarget);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: isMirrored ? before : next,
      ArrowDown: next,
      ArrowLeft: isMirrored ? next : before,
      ArrowUp: before,
      Home: 0,
      End: items.length - 1,
    };
    const item = items[steps[event.key] ?? -1];
    if (item === undefined) return;
    event.preventDefault();
    item.focus();
    onMove(buttons.indexOf(item));
  };
}

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  /** The value in words, if the number alone is unclear. */
  readonly 'aria-valuetext'?: string;
  readonly onChange: (value: number) => void;
}

/** Renders a slider. Do not place the slider in an area that is scrolled by touch. */
export function Slider({ label, onChange, ...range }: SliderProps) {
  return (
    <input
      {...range}
      class="slider"
      type="range"
      aria-label={label}
      onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
    />
  );
}

interface StepperProps {
  readonly label: string;
  readonly fewer: string;
  readonly more: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

/**
 * Renders a field for a small whole number. Buttons, typing and the arrow keys change the number. A typed number takes effect
 * with each digit, so that a key that sends the form sends the number in the field.
 */
export function Stepper({ label, fewer, more, value, min, max, onChange }: StepperProps) {
  // Text that is being typed. The field may be empty or out of range until the focus leaves it.
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const set = (next: number) => {
    setTyped(undefined);
    onChange(Math.min(max, Math.max(min, next)));
  };
  const button = (name: string, icon: typeof Plus, to: number) => (
    <button type="button" aria-label={name} disabled={to < min || to > max} onClick={() => set(to)}>
      <Icon of={icon} />
    </button>
  );
  return (
    <div class="stepper edged">
      {button(fewer, Minus, value - 1)}
      <input
        type="text"
        inputMode="numeric"
        role="spinbutton"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={min}
        aria-valuemax={max}
        value={typed ?? value}
        onFocus={(event) => event.currentTarget.select()}
        onInput={({ currentTarget: { value: content } }) => {
          const next = Number.parseInt(content, 10);
          if (next) set(next);
          setTyped(content);
        }}
        onBlur={() => setTyped(undefined)}
        onKeyDown={(event) => {
          const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          set(value + step);
        }}
      />
      {button(more, Plus, value + 1)}
    </div>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

/** Renders a switch that takes effect at once. `label` is the accessible name, which is not visible. */
export function Switch({ label, on, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={on}
      aria-label={label}
      onClick={() => onChange(!on)}
    />
  );
}
