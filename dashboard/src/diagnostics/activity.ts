import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { ApiEvent } from '../api/schemas.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { DiagnosticsSource, Reading } from './diagnostics.ts';

/** The number of running and waiting jobs from a point in time on. */
interface WorkSample extends Sample {
  readonly running: number;
  readonly queued: number;
}

/** The number of calls to a provider that were running at a point in time. */
interface CallSample extends Sample {
  readonly active: number;
}

/** The routes that this page polls. Their requests are left out because they do not show how the bridge is used. */
const OWN_ROUTES: ReadonlySet<string | undefined> = new Set([
  '/v1/diagnostics',
  '/v1/queue',
  '/v1/usage',
]);
const MOST_EVENTS = 2000;

/**
 * Records, in memory, what has happened since the page was opened: running and waiting jobs from the event stream, and
 * the calls and requests from the diagnostics.
 */
export function createActivity(jobs: Jobs, diagnostics: DiagnosticsSource) {
  const work = signal<readonly WorkSample[]>([]);
  const calls = signal<ReadonlyMap<string, readonly CallSample[]>>(new Map());
  const events = signal<readonly ApiEvent[]>([]);
  let processStarted: number | undefined;

  effect(() => {
    const all = [...jobs.open.value.values()];
    const running = all.filter(({ status }) => status === 'running').length;
    const queued = all.length - running;
    const last = work.peek().at(-1);
    if (last?.running === running && last.queued === queued) return;
    work.value = withSample(work.peek(), { at: Date.now(), running, queued });
  });
  effect(() => {
    const reading = diagnostics.latest.value;
    if (reading === undefined) return;
    calls.value = withCalls(calls.peek(), reading);
    const { started, events: read } = reading.report;
    const shown = read.items.filter(({ route }) => !OWN_ROUTES.has(route));
    // The sequence numbers restart when the bridge restarts.
    const after = started === processStarted ? (events.peek()[0]?.sequence ?? 0) : 0;
    processStarted = started;
    events.value = mergeNewest(events.peek(), shown, after, MOST_EVENTS);
  });

  return {
    /** The start of the job counts in Unix milliseconds. */
    since: Date.now(),
    work: work as ReadonlySignal<readonly WorkSample[]>,
    /** Samples by provider name. */
    calls: calls as ReadonlySignal<ReadonlyMap<string, readonly CallSample[]>>,
    /** Events, newest first, without the requests by which this page reads the state of the bridge. */
    events: events as ReadonlySignal<readonly ApiEvent[]>,
  };
}

function withCalls(
  calls: ReadonlyMap<string, readonly CallSample[]>,
  { report, at }: Reading,
): ReadonlyMap<string, readonly CallSample[]> {
  return new Map(
    Object.entries(report.runtime.providers).map(([name, { active }]) => [
      name,
      withSample(calls.get(name) ?? [], { at, active }),
    ]),
  );
}

/** A value that holds from a point in time on. */
interface Sample {
  /** Unix milliseconds. */
  readonly at: number;
}

const MINUTE_MS = 60_000;

/** The longest period that a chart shows. */
export const WINDOW_MS = 15 * MINUTE_MS;

/**
 * Returns the period to show, in minutes. Nothing is known from before `since`, so a short history fills the whole
 * chart.
 */
export function toWindow(since: number, now: number): 2 | 5 | 15 {
  const known = (now - since) / MINUTE_MS;
  if (known <= 2) return 2;
  return known <= 5 ? 5 : 15;
}

/** The maximum number of samples, which is more than a chart has pixels. */
const MOST_SAMPLES = 5000;

/** Appends a sample, and removes the samples that no chart shows any more. Keeps at most the newest 5,000. */
export function withSample<T extends Sample>(samples: readonly T[], sample: T): readonly T[] {
  const start = sample.at - WINDOW_MS;
  // The last sample before the start gives the value at the start.
  const first = samples.findLastIndex(({ at }) => at <= start);
  return [...samples.slice(Math.max(0, first, samples.length + 1 - MOST_SAMPLES)), sample];
}

/** A record that the bridge numbers. */
interface Numbered {
  readonly sequence: number;
}

/**
 * Prepends the records read after number `after` to the known ones. Returns them newest first, and at most `most` of
 * them.
 */
export function mergeNewest<T extends Numbered>(
  known: readonly T[],
  read: readonly T[],
  after: number,
  most: number,
): readonly T[] {
  return [...read.filter(({ sequence }) => sequence > after), ...known].slice(0, most);
}
