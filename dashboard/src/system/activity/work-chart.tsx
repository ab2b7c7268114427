import { toWindow } from '../../diagnostics/time-series.ts';
import { usePage } from '../../page-context.ts';
import { useNow } from '../../shell/use-now.ts';
import { formatTime, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import { Legend } from '../chart/legend.tsx';
import { PLOT, PLOT_TOP, Plot } from '../chart/plot.tsx';
import { toScaleTop, toStepLine } from '../chart/step-line.ts';
import { QueueLine } from './queue-line.tsx';

/** How many jobs ran and waited since the page was opened, up to a quarter of an hour. */
export function WorkChart() {
  const { work, since } = usePage().activity;
  const { value: samples } = work;
  const now = useNow(2000);
  const running = samples.map(({ at, running: value }) => ({ at, value }));
  const waiting = samples.map(({ at, queued: value }) => ({ at, value }));
  const most = (points: readonly { readonly value: number }[]) =>
    Math.max(0, ...points.map(({ value }) => value));
  const top = toScaleTop(Math.max(most(running), most(waiting)));
  const minutes = toWindow(since, now);
  const frame = { ...PLOT, above: PLOT_TOP, from: now - minutes * 60_000, to: now, top };
  const runningLine = toStepLine(running, frame);
  const waitingPath = toStepLine(waiting, frame).line;
  const label = text('system.work.label', {
    running: most(running),
    waiting: most(waiting),
    minutes,
  });
  return (
    <Box title={text('system.work')} end={<Legend entries={legend()} />}>
      <Plot top={top} minutes={minutes} label={label}>
        <path class="area" d={runningLine.area} />
        <path class="stroke" d={runningLine.line} />
        <path class="stroke second" d={waitingPath} />
      </Plot>
      {since > frame.from && (
        <p class="hint num">{text('system.work.since', { time: formatTime(since / 1000) })}</p>
      )}
      <QueueLine />
    </Box>
  );
}

function legend() {
  return [
    { name: text('system.work.running') },
    { look: 'second', name: text('system.work.waiting') },
  ];
}
