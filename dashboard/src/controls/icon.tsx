import type { IconNode } from 'lucide';
import { h } from 'preact';
import './icon.css';

interface Props {
  /** An icon of the package `lucide`. */
  readonly of: IconNode;
  /** 14 px instead of 16. */
  readonly small?: boolean;
  readonly filled?: boolean;
  readonly class?: string;
}

/** An icon beside text or inside a labelled control. It has no accessible name. */
export function Icon({ of, small, filled, class: extra }: Props) {
  const names = ['icon', small && 'small', filled && 'filled', extra].filter(Boolean).join(' ');
  return (
    <svg class={names} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => h(tag, { key: index, ...attributes }))}
    </svg>
  );
}
