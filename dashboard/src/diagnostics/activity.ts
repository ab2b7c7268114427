import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { ApiEvent } from '../api/schemas.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { DiagnosticsSource, Reading } from './diagnostics.ts';
import { mergeNewest, type Sample, withSample } from './time-series.ts';

/** How many jobs run and wait from this time on. */
export interface WorkSample extends Sample {
  readonly running: number;
  readonly queued: number;
}

/** How many calls of a provider ran at this time. */
export interface CallSample extends Sample {
  readonly active: number;
}

/** The routes that this page reads again and again: their requests say nothing of what the bridge is used for. */
const OWN_ROUTES: ReadonlySet<string | undefined> = new Set([
  '/v1/diagnostics',
  '/v1/queue',
  '/v1/usage',
]);
const MOST_EVENTS = 2000;

/**
 * What has happened since the page was opened, in memory: the jobs at work by the event stream, the calls of providers
 * and the requests by what was read of the bridge.
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
    // The numbers begin anew when the bridge does.
    const after = started === processStarted ? (events.peek()[0]?.sequence ?? 0) : 0;
    processStarted = started;
    events.value = mergeNewest(events.peek(), shown, after, MOST_EVENTS);
  });

  return {
    /** Since when the jobs are counted, in Unix milliseconds. */
    since: Date.now(),
    work: work as ReadonlySignal<readonly WorkSample[]>,
    /** By the name of the provider. */
    calls: calls as ReadonlySignal<ReadonlyMap<string, readonly CallSample[]>>,
    /** The newest first, without those of this page that read the bridge's state. */
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
