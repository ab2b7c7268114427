import type { Queue, QueuePatch } from '../contract/resources/queue.ts';
import type { Clock } from '../platform/clock.ts';
import type { JobQueue } from './job-queue.ts';
import type { QueueState, QueueStore } from './queue-store-port.ts';

interface Deps {
  readonly store: QueueStore;
  readonly queue: Pick<JobQueue, 'wakeAll'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export type QueueControl = ReturnType<typeof createQueueControl>;

/** Shows the queue of all scopes, pauses and resumes it. */
export function createQueueControl({ store, queue, clock }: Deps) {
  const view = async (): Promise<Queue> => toView(await store.read(), clock.nowMs());

  return {
    read: view,

    /** Resolves once the change is durable. Jobs that run continue. Throws `overloaded`. */
    async update({ paused }: QueuePatch): Promise<Queue> {
      await store.setPaused(paused);
      if (!paused) queue.wakeAll();
      return view();
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
    // A clock that was set back makes no job wait for less than no time.
    ...(oldestQueuedSecs === undefined
      ? {}
      : { oldest_queued_age_ms: Math.max(0, nowMs - oldestQueuedSecs * 1000) }),
    by_provider: Object.fromEntries(
      byProvider.map(({ provider, ...counts }) => [provider, counts]),
    ),
  };
}
