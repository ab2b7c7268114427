import { RotateCcw } from 'lucide';
import type { ComponentChildren } from 'preact';
import { text } from '../text/text.ts';
import { IconButton } from './button.tsx';
import './param.css';

interface Props {
  readonly label: string;
  readonly children: ComponentChildren;
  /** A short explanation of the setting, or the reason why it is disabled. */
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
  /** Resets the value to its default. Undefined if the value is the default. */
  readonly onReset?: (() => void) | undefined;
}

/** Renders one setting: its name, its control, and an optional hint. */
export function Param({ label, children, hint, disabled = false, onReset }: Props) {
  return (
    <div class="param" aria-disabled={disabled}>
      <span class="label">{label}</span>
      <div class="value">{children}</div>
      {onReset && (
        <IconButton
          small
          icon={RotateCcw}
          label={text('make.reset', { name: label })}
          onClick={onReset}
        />
      )}
      {hint && <p class="hint">{hint}</p>}
    </div>
  );
}
