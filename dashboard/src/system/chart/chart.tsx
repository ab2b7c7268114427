import type { ComponentChildren } from 'preact';
import './chart.css';

interface Props {
  /** Of the drawing; it is stretched to its place. */
  readonly width: number;
  readonly height: number;
  /** What it shows, in words. */
  readonly label: string;
  readonly low?: boolean;
  readonly children: ComponentChildren;
}

/** A drawing that words stand in for. */
export function Chart({ width, height, label, low, children }: Props) {
  return (
    <svg
      class={low ? 'chart low' : 'chart'}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {children}
    </svg>
  );
}
