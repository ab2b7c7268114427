import type { Config } from '../config/settings/settings.ts';
import {
  MAX_PLACES,
  type OwnQueue,
  type Queue,
  type QueueJob,
  type QueuePatch,
} from '../contract/resources/queue.ts';
import type { Page, PageRequest } from '../contract/schema/page.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { type CancelJob, operatorCancellation } from './job-end.ts';
import type { JobRecord } from './job-store-port.ts';
import {
  type EstimatedRun,
  estimateRuns,
  positionsOf,
  type UsualSecs,
  usualDurations,
} from './queue-places.ts';
import type { JobWork, QueueState, QueueStore } from './queue-store-port.ts';

interface Deps {
  readonly store: QueueStore;
  readonly cancelJob: CancelJob;
  readonly tokens: {
    /** Returns the name of the token with this identity. Returns undefined if the token is unknown. */
    nameOf(id: string): string | undefined;
  };
  readonly clock: Clock;
  readonly config: {
    readonly replica: Pick<Config['replica'], 'work'>;
    readonly server: { readonly jobs: Config['server']['jobs'] };
  };
  /** The secret of the database. */
  readonly secret: Uint8Array;
}

type ShownJob = Pick<JobRecord, 'id' | 'status' | 'token' | 'createdSecs' | 'cancelRequested'>;

/** The name of the list for which cursors are sealed. */
const LIST = ['queue jobs'];

// Limits the size of the reply of the store. Far fewer jobs run at the same time.
const OUTLOOK = { waiting: MAX_PLACES, running: 1000, ended: 1000 };

export type QueueControl = ReturnType<typeof createQueueControl>;

/**
 * Lets the operator read, pause and resume the queue of all scopes, and list and cancel the jobs in the queue. Shows each scope the
 * places of its own jobs.
 */
export function createQueueControl(deps: Deps) {
  const { store, cancelJob, tokens, clock } = deps;
  const maxRunning = toMaxRunning(deps.config);
  const cursors = createSealedCursors(deps.secret);
  const view = async (): Promise<Queue> => toView(await store.read(), maxRunning, clock.nowMs());
  const ownerOf = (token: string) => {
    const owner = tokens.nameOf(token);
    return owner === undefined ? {} : { owner };
  };

  function toJobView({ token, createdSecs, cancelRequested, ...job }: ShownJob): QueueJob {
    return {
      id: job.id,
      status: job.status,
      age_ms: ageMs(createdSecs, clock.nowMs()),
      cancel_requested: cancelRequested,
      ...ownerOf(token),
    };
  }

  return {
    read: view,

    /** Resolves with the places of the jobs of the scope, and the estimated times of their starts. */
    async readOwn(scope: string): Promise<OwnQueue> {
      const { isPaused, turns, waiting, running, ended } = await store.outlook(scope, OUTLOOK);
      const now = nowSecs(clock);
      const { ofWork, ofAny } = usualDurations(ended);
      const remaining = running.map(({ startedSecs, ...job }) =>
        Math.max(0, startedSecs + (ofWork(job) ?? ofAny ?? 0) - now),
      );
      const positions = positionsOf(scope, waiting.length, turns);
      const own = { positions, durations: waiting.map(ofWork), usual: ofAny };
      const runs = isPaused ? [] : estimateRuns(own, remaining, maxRunning);
      const done = runs.length < waiting.length ? undefined : runs.at(-1);
      return {
        paused: isPaused,
        max_running: maxRunning,
        running: running
          .filter((job) => job.scope === scope)
          .map((job) => ({ id: job.id, ...ownerOf(job.token), ...toUsual(job, ofWork) })),
        waiting: waiting.map((job, nth) => ({
          id: job.id,
          position: positions[nth] ?? nth + 1,
          ...ownerOf(job.token),
          ...toUsual(job, ofWork),
          ...toEstimate(runs[nth], now),
        })),
        queued: turns.find((turn) => turn.scope === scope)?.queued ?? 0,
        ...(done === undefined ? {} : { done: Math.ceil(now + done.endsIn) }),
      };
    },

    /** Pauses or resumes the queue. Resolves when the change is durable. Running jobs continue. Throws `overloaded`. */
    async update({ paused }: QueuePatch): Promise<Queue> {
      await store.setPaused(paused);
      return view();
    },

    /** Lists the queued and running jobs, oldest first. Throws `invalid_request` if the cursor belongs to another list. */
    async list({ limit, cursor }: PageRequest): Promise<Page<QueueJob>> {
      const after = cursor === undefined ? 0 : cursors.readSequence(LIST, cursor);
      const { items, more } = await store.list({ after, limit });
      const last = items.at(-1);
      return {
        items: items.map(toJobView),
        ...(more && last && { next_cursor: cursors.writeSequence(LIST, last.sequence) }),
      };
    },

    /**
     * Cancels a queued or running job in the same way as its owner can, but with an error that has the reason `operator`.
     * Resolves with the job in its new state. Throws `not_found` if the job is not queued or running, and `overloaded`.
     */
    async cancel(id: string): Promise<QueueJob> {
      const job = await store.find(id);
      const cancelled = job && (await cancelJob(job.scope, id, operatorCancellation()));
      if (!cancelled) throw new BridgeError('not_found', 'the job is not queued or running');
      return toJobView(cancelled);
    },
  };
}

/** Returns the maximum number of running jobs in all replicas, or in this process if there is no common limit. */
function toMaxRunning({ replica, server }: Deps['config']): number {
  const { enabled, max_running: ownLimit, max_running_total: total } = server.jobs;
  if (!enabled) return 0;
  if (total !== 'unlimited') return total;
  return replica.work ? ownLimit : 0;
}

function toUsual(job: JobWork, usualOf: UsualSecs): { usual_ms?: number } {
  const secs = usualOf(job);
  return secs === undefined ? {} : { usual_ms: Math.round(secs * 1000) };
}

function toEstimate(run: EstimatedRun | undefined, atSecs: number): { estimated_start?: number } {
  return run === undefined ? {} : { estimated_start: Math.ceil(atSecs + run.startsIn) };
}

function toView(
  { paused, queued, running, oldestQueuedSecs, byProvider }: QueueState,
  maxRunning: number,
  nowMs: number,
): Queue {
  return {
    paused,
    queued,
    running,
    max_running: maxRunning,
    ...(oldestQueuedSecs === undefined
      ? {}
      : { oldest_queued_age_ms: ageMs(oldestQueuedSecs, nowMs) }),
    by_provider: Object.fromEntries(
      byProvider.map(({ provider, ...counts }) => [provider, counts]),
    ),
  };
}

/** Returns an age. A negative age, which occurs if the clock was set back, is replaced with 0. */
function ageMs(createdSecs: number, nowMs: number): number {
  return Math.max(0, nowMs - createdSecs * 1000);
}
