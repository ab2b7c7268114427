import type { ComponentChildren } from 'preact';
import { text } from '../../text/text.ts';
import { Chart } from './chart.tsx';
import './plot.css';

export const PLOT = { width: 600, height: 96 };
/** Room for the uppermost line and its number. */
export const PLOT_TOP = 8;

interface Props {
  /** The value of the uppermost line. */
  readonly top: number;
  readonly minutes: number;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A chart over the last minutes, with three grid lines and the value of the uppermost one. */
export function Plot({ top, minutes, label, children }: Props) {
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
