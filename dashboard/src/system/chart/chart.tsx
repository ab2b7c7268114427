import type { ComponentChildren } from 'preact';
import { text } from '../../text/text.ts';
import './chart.css';

export const PLOT = { width: 600, height: 96 };
/** The height of the space for the top line and its number, in units of the drawing. */
export const PLOT_TOP = 8;

interface PlotProps {
  /** The value of the top line. */
  readonly top: number;
  readonly minutes: number;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Renders a chart of the last minutes with three grid lines. The top line is labelled with its value. */
export function Plot({ top, minutes, label, children }: PlotProps) {
  const { width, height } = PLOT;
  const lines = [height, (height + PLOT_TOP) / 2, PLOT_TOP];
  return (
    <div class="plot">
      <Chart {...PLOT} label={label}>
        <path class="grid" d={lines.map((y) => `M0 ${y}H${width}`).join('')} />
        {children}
      </Chart>
      <span aria-hidden="true">{text('number', { value: top })}</span>
      <p class="num" aria-hidden="true">
        <span>{text('system.minutesAgo', { count: minutes })}</span>
        <span>{text('system.now')}</span>
      </p>
    </div>
  );
}

interface ChartProps {
  /** The width of the drawing. The drawing is stretched to fill its box. */
  readonly width: number;
  readonly height: number;
  /** A description of the chart in words. */
  readonly label: string;
  readonly low?: boolean;
  readonly children: ComponentChildren;
}

/** Renders a drawing with a text alternative. */
export function Chart({ width, height, label, low, children }: ChartProps) {
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

interface LegendProps {
  readonly entries: readonly { readonly look?: string; readonly name: string }[];
}

/** Explains the colours of a chart. */
export function Legend({ entries }: LegendProps) {
  return (
    <span class="legend">
      {entries.map(({ look, name }) => (
        <span key={name}>
          <i class={`swatch ${look ?? ''}`} />
          {name}
        </span>
      ))}
    </span>
  );
}
