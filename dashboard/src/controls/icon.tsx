import type { IconNode } from 'lucide';
import { h } from 'preact';
import './icon.css';

interface Props {
  /** An icon from the package `lucide`. */
  readonly of: IconNode;
  /** True for 14 px instead of 16 px. */
  readonly small?: boolean;
  readonly filled?: boolean;
  readonly class?: string;
}

/** Renders an icon without an accessible name, for use beside text or inside a labelled control. */
export function Icon({ of, small, filled, class: extra }: Props) {
  const names = ['icon', small && 'small', filled && 'filled', extra].filter(Boolean).join(' ');
  return (
    <svg class={names} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => h(tag, { key: index, ...attributes }))}
    </svg>
  );
}
