import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { ApiEvent } from '../api/schemas.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { DiagnosticsSource } from './diagnostics.ts';

/** The number of running and waiting jobs from a point in time on. */
type WorkSample = Sample & { readonly running: number; readonly queued: number };

/** The number of calls to a provider that were running at a point in time. */
type CallSample = Sample & { readonly active: number };

/** The routes that this page polls. Requests to these routes do not show how the bridge is used. */
const OWN_ROUTES: ReadonlySet<string | undefined> = new Set([
  '/v1/diagnostics',
  '/v1/queue',
  '/v1/usage',
]);
const MAX_EVENTS = 2000;

/** Records the activity since the page was opened: jobs, calls to providers, and requests to the bridge. */
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
    const { started, events: read, runtime } = reading.report;
    calls.value = new Map(
      Object.entries(runtime.providers).map(([name, { active }]) => [
        name,
        withSample(calls.peek().get(name) ?? [], { at: reading.at, active }),
      ]),
    );
    const shown = read.items.filter(({ route }) => !OWN_ROUTES.has(route));
    // The sequence numbers restart when the bridge restarts.
    const after = started === processStarted ? (events.peek()[0]?.sequence ?? 0) : 0;
    processStarted = started;
    events.value = mergeNewest(events.peek(), shown, after, MAX_EVENTS);
  });

  return {
    /** The time of the first job count in Unix milliseconds. */
    since: Date.now(),
    work: work as ReadonlySignal<readonly WorkSample[]>,
    /** Samples by provider name. */
    calls: calls as ReadonlySignal<ReadonlyMap<string, readonly CallSample[]>>,
    /** Events, newest first, without the requests that this page sends to read the state of the bridge. */
    events: events as ReadonlySignal<readonly ApiEvent[]>,
  };
}

/** A value that is valid from `at` until the next sample. */
interface Sample {
  /** Unix milliseconds. */
  readonly at: number;
}

const MINUTE_MS = 60_000;

/** The longest period that a chart shows, in milliseconds. */
export const WINDOW_MS = 15 * MINUTE_MS;

/** Returns the period to show, in minutes. The period is shorter if the samples begin less than 15 minutes ago. */
export function toWindow(since: number, now: number): 2 | 5 | 15 {
  const known = (now - since) / MINUTE_MS;
  if (known <= 2) return 2;
  return known <= 5 ? 5 : 15;
}

/** The maximum number of samples. A chart is fewer pixels wide. */
const MAX_SAMPLES = 5000;

/** Appends a sample, and removes the samples that no chart shows any more. Keeps at most the newest 5,000 samples. */
export function withSample<T extends Sample>(samples: readonly T[], sample: T): readonly T[] {
  const start = sample.at - WINDOW_MS;
  // The last sample before the start of the period is kept, because it has the value at the start.
  const first = samples.findLastIndex(({ at }) => at <= start);
  return [...samples.slice(Math.max(0, first, samples.length + 1 - MAX_SAMPLES)), sample];
}

/** Prepends the records that are newer than the number `after`. Returns at most `most` records, newest first. */
export function mergeNewest<T extends Pick<ApiEvent, 'sequence'>>(
  known: readonly T[],
  read: readonly T[],
  after: number,
  most: number,
): readonly T[] {
  return [...read.filter(({ sequence }) => sequence > after), ...known].slice(0, most);
}
