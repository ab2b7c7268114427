import type { Queue, QueueJob, QueuePatch } from '../contract/resources/queue.ts';
import type { Page, PageRequest } from '../contract/schema/page.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { type CancelJob, operatorCancellation } from './job-end.ts';
import type { JobRecord, QueueState, QueueStore } from './job-store-port.ts';

interface Deps {
  readonly store: QueueStore;
  readonly cancelJob: CancelJob;
  readonly tokens: {
    /** Returns the name of the token with this identity. Returns undefined if the token is unknown. */
    nameOf(id: string): string | undefined;
  };
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The secret of the database. */
  readonly secret: Uint8Array;
}

type ShownJob = Pick<JobRecord, 'id' | 'status' | 'token' | 'createdSecs' | 'cancelRequested'>;

/** The name of the list for which cursors are sealed. */
const LIST = ['queue jobs'];

export type QueueControl = ReturnType<typeof createQueueControl>;

/** Lets the operator read, pause and resume the queue of all scopes, and list and cancel the jobs in the queue. */
export function createQueueControl({ store, cancelJob, tokens, clock, secret }: Deps) {
  const cursors = createSealedCursors(secret);
  const view = async (): Promise<Queue> => toView(await store.read(), clock.nowMs());

  function toJobView({ token, createdSecs, cancelRequested, ...job }: ShownJob): QueueJob {
    const owner = tokens.nameOf(token);
    return {
      id: job.id,
      status: job.status,
      age_ms: ageMs(createdSecs, clock.nowMs()),
      cancel_requested: cancelRequested,
      ...(owner === undefined ? {} : { owner }),
    };
  }

  return {
    read: view,

    /** Pauses or resumes the queue. Resolves when the change is durable. Running jobs continue. Throws `overloaded`. */
    async update({ paused }: QueuePatch): Promise<Queue> {
      await store.setPaused(paused);
      return view();
    },

    /** Lists the queued and running jobs, oldest first. Throws `invalid_request` if the cursor belongs to another list. */
    async list({ limit, cursor }: PageRequest): Promise<Page<QueueJob>> {
      const after = cursor === undefined ? 0 : Number(cursors.read(LIST, cursor).toString());
      const { items, more } = await store.list({ after, limit });
      const last = items.at(-1);
      return {
        items: items.map(toJobView),
        ...(more && last
          ? { next_cursor: cursors.write(LIST, Buffer.from(String(last.sequence))) }
          : {}),
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

function toView(
  { paused, queued, running, oldestQueuedSecs, byProvider }: QueueState,
  nowMs: number,
): Queue {
  return {
    paused,
    queued,
    running,
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
