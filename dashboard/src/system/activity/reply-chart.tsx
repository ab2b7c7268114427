import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import { Legend } from '../chart/legend.tsx';
import { PLOT, PLOT_TOP, Plot } from '../chart/plot.tsx';
import { toScaleTop } from '../chart/step-line.ts';
import { MINUTES, type Minute, toBars, toMinutes, totalOf } from './reply-bars.ts';

/** How many requests were replied to in each of the last minutes, as far as the bridge and this page have kept them. */
export function ReplyChart() {
  const { activity, diagnostics } = usePage();
  const report = diagnostics.latest.value?.report;
  const now = report ? report.started * 1000 + report.uptime_ms : 0;
  const minutes = toMinutes(activity.events.value, now);
  const most = Math.max(...minutes.map(totalOf));
  const top = toScaleTop(most);
  const sum = (kind: keyof Minute) => minutes.reduce((total, minute) => total + minute[kind], 0);
  const label = text('system.replies.label', {
    most,
    client: sum('client'),
    server: sum('server'),
  });
  return (
    <Box title={text('system.replies')} end={<Legend entries={LEGEND} />}>
      <Plot top={top} minutes={MINUTES} label={label}>
        {toBars(minutes, { ...PLOT, above: PLOT_TOP, top }).map(({ kind, ...bar }) => (
          <rect key={`${kind}${bar.x}`} class={kind} {...bar} />
        ))}
      </Plot>
    </Box>
  );
}

const LEGEND = [
  { look: 'ok', name: '2xx' },
  { look: 'client', name: '4xx' },
  { look: 'server', name: '5xx' },
];
