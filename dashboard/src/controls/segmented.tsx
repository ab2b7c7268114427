import type { ComponentChildren } from 'preact';
import { rovingFocus } from './roving-focus.ts';
import './segmented.css';

export interface Segment<T extends string> {
  readonly value: T;
  readonly label: ComponentChildren;
  readonly name?: string;
}

interface Props<T extends string> {
  readonly label: string;
  readonly segments: readonly Segment<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly wide?: boolean;
  readonly disabled?: boolean;
}

/** Renders a radio group whose options are all visible. Arrows move the selection. */
export function Segmented<T extends string>(props: Props<T>) {
  const { label, segments, value, onChange, wide, disabled } = props;
  const onKeyDown = rovingFocus((index) => {
    const segment = segments[index];
    if (segment) onChange(segment.value);
  });
  return (
    <div
      class={wide ? 'seg wide' : 'seg'}
      role="radiogroup"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {segments.map((segment) => (
        <button
          key={segment.value}
          type="button"
          role="radio"
          aria-checked={segment.value === value}
          aria-label={segment.name}
          title={segment.name}
          tabIndex={segment.value === value ? 0 : -1}
          disabled={disabled}
          onClick={() => onChange(segment.value)}
        >
          {segment.label}
        </button>
      ))}
    </div>
  );
}
