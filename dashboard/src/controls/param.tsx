import { RotateCcw } from 'lucide';
import type { ComponentChildren } from 'preact';
import { text } from '../text/text.ts';
import { IconButton } from './button.tsx';
import './param.css';

interface Props {
  readonly label: string;
  readonly children: ComponentChildren;
  /** What to know of it, or why it cannot be used. */
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
  /** Given where the value differs from the default: returns it to that. */
  readonly onReset?: (() => void) | undefined;
}

/** One setting: its name, its control, and one sentence where one is needed. */
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
