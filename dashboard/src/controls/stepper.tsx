import { Minus, Plus } from 'lucide';
import { Icon } from './icon.tsx';
import './stepper.css';

interface Props {
  readonly label: string;
  readonly fewer: string;
  readonly more: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

/** Renders a field for a small whole number, which is changed by buttons, typing or arrow keys. */
export function Stepper({ label, fewer, more, value, min, max, onChange }: Props) {
  const set = (next: number) => onChange(Math.min(max, Math.max(min, Math.round(next) || min)));
  return (
    <div class="stepper">
      <button
        type="button"
        aria-label={fewer}
        disabled={value <= min}
        onClick={() => set(value - 1)}
      >
        <Icon of={Minus} />
      </button>
      <input
        type="text"
        inputMode="numeric"
        role="spinbutton"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={min}
        aria-valuemax={max}
        value={value}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => {
          set(Number.parseInt(event.currentTarget.value, 10));
          event.currentTarget.value = String(value);
        }}
        onKeyDown={(event) => {
          const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          set(value + step);
        }}
      />
      <button
        type="button"
        aria-label={more}
        disabled={value >= max}
        onClick={() => set(value + 1)}
      >
        <Icon of={Plus} />
      </button>
    </div>
  );
}
