import { Pause, Play } from 'lucide';
import type { Diagnostics } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { Link } from '../../controls/link.tsx';
import { toWindow } from '../../diagnostics/activity.ts';
import { usePage } from '../../page-context.ts';
import { attempt } from '../../shell/toasts.ts';
import { useNow } from '../../shell/use-now.ts';
import { formatDuration, formatNumber, formatTime, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import { Legend, PLOT, PLOT_TOP, Plot } from '../chart/chart.tsx';
import { toScaleTop, toStepLine } from '../chart/step-line.ts';
import { MINUTES, type Minute, toBars, toMinutes, totalOf } from './reply-bars.ts';
import './activity-section.css';

export function ActivitySection({ report }: { readonly report: Diagnostics }) {
  return (
    <section id="activity" class="box-row" tabIndex={-1}>
      <h2 class="sr">{text('system.activity')}</h2>
      <WorkChart />
      <ReplyChart />
      <JobsKept jobs={report.jobs} />
    </section>
  );
}

/** Charts the running and waiting jobs since the page was opened, for at most 15 minutes. */
function WorkChart() {
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
    <Box title={text('system.work')} end={<Legend entries={WORK_LEGEND} />}>
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

const WORK_LEGEND = [
  { name: text('system.work.running') },
  { look: 'second', name: text('system.work.waiting') },
];

/** Shows the number of waiting jobs of all callers, the age of the oldest waiting job, and a switch that pauses the queue. */
function QueueLine() {
  const { queue, toasts } = usePage();
  const { value: latest } = queue.latest;
  if (latest === undefined) return null;
  const { paused, queued, oldest_queued_age_ms: age } = latest;
  const parts = [
    paused && text('system.queue.paused'),
    queued === 0 ? text('system.queue.empty') : text('system.queue.waiting', { count: queued }),
    age !== undefined && text('system.queue.oldest', { age: formatDuration(Math.max(age, 1000)) }),
  ];
  return (
    <div class="queue-line row">
      <p class="num" role="status">
        {paused && <i class="dot warn" />}
        {parts.filter(Boolean).join(' ')}
      </p>
      <Button
        size="small"
        icon={paused ? Play : Pause}
        onClick={() => void attempt(toasts, () => queue.setPaused(!paused))}
      >
        {text(paused ? 'system.queue.resume' : 'system.queue.pause')}
      </Button>
    </div>
  );
}

/** Charts the number of replies in each of the last minutes, as far as the replies have been recorded. */
function ReplyChart() {
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

const STATUSES = ['succeeded', 'failed', 'cancelled', 'interrupted', 'running', 'queued'] as const;

/** Shows the stored jobs by status. Each status links to the gallery of the jobs with this status. */
function JobsKept({ jobs }: { readonly jobs: Diagnostics['jobs'] }) {
  const { by_status: counts } = jobs;
  const total = STATUSES.reduce((sum, status) => sum + counts[status], 0);
  const shown = STATUSES.filter((status) => counts[status] > 0);
  return (
    <Box
      class="jobs-kept"
      title={text('system.jobs')}
      end={<span class="num soft">{formatNumber(total)}</span>}
    >
      <div class={total === 0 ? 'shares none' : 'shares'} aria-hidden="true">
        {shown.map((status) => (
          <i key={status} class={status} style={{ flexGrow: counts[status] }} />
        ))}
      </div>
      <ul class="num">
        {STATUSES.map((status) => (
          <li key={status} class="row">
            <i class={`swatch ${status}`} />
            {counts[status] > 0 ? (
              <Link to={`?status=${status}`}>{text(`gallery.status.${status}`)}</Link>
            ) : (
              text(`gallery.status.${status}`)
            )}
            <span>{formatNumber(counts[status])}</span>
          </li>
        ))}
      </ul>
      {jobs.favorite + jobs.hidden > 0 && (
        <p class="hint num">
          {text('system.jobs.marked', { favourite: jobs.favorite, hidden: jobs.hidden })}
        </p>
      )}
    </Box>
  );
}
