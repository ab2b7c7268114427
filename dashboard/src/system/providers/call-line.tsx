import { POLL_MS } from '../../diagnostics/diagnostics.ts';
import { toWindow } from '../../diagnostics/time-series.ts';
import { usePage } from '../../page-context.ts';
import { formatTime, text } from '../../text/text.ts';
import { Chart } from '../chart/chart.tsx';
import { toStepLine } from '../chart/step-line.ts';

const SIZE = { width: 300, height: 36 };

/** How many calls of a provider ran, as far as this view was open. */
export function CallLine({ name }: { readonly name: string }) {
  const samples = usePage().activity.calls.value.get(name) ?? [];
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const minutes = toWindow(first.at, last.at);
  const points = samples.map(({ at, active }) => ({ at, value: active }));
  const most = Math.max(...points.map(({ value }) => value));
  if (most === 0) {
    const time = formatTime(first.at / 1000);
    return <p class="call-line hint num">{text('system.calls.none', { time })}</p>;
  }
  const frame = { ...SIZE, from: last.at - minutes * 60_000, to: last.at, top: Math.max(1, most) };
  // There are no samples for the time in which the view was closed.
  const { line } = toStepLine(points, { ...frame, gap: POLL_MS * 4 });
  return (
    <div class="call-line">
      <Chart low {...SIZE} label={text('system.calls', { most, minutes })}>
        <path class="grid" d={`M0 ${SIZE.height}H${SIZE.width}`} />
        <path class="stroke" d={line} />
      </Chart>
    </div>
  );
}
