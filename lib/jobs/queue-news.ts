import { createHash } from 'node:crypto';
import type { JobFeedEvent } from '../contract/resources/job-events.ts';
import type { OwnQueue } from '../contract/resources/queue.ts';
import type { Clock } from '../platform/clock.ts';
import type { JobNotice } from './job-notices-port.ts';

// A reply may have a thousand places, so a busy queue is read at most once a second for each stream.
const REST_MS = 1000;
// Estimates depend on the present time, so they change without a notice.
const REFRESH_MS = 5000;

/** The notices after which the places of jobs may differ. */
const NOTICES: ReadonlySet<JobNotice['type']> = new Set([
  'queued',
  'paused',
  'resumed',
  'changed',
  'ended',
  'missed',
]);

export type QueueNews = ReturnType<typeof createQueueNews>;

/**
 * Decides when one stream reads the queue: at the start of the stream, at most once a second after changes, and otherwise every
 * five seconds.
 */
export function createQueueNews(clock: Pick<Clock, 'after'>, wake: () => void) {
  let isStale = true;
  let isResting = false;
  let cancelTimer = () => {};
  let sent = '';

  function refreshLater(): void {
    cancelTimer = clock.after(REFRESH_MS - REST_MS, () => {
      isStale = true;
      wake();
    });
  }

  return {
    /** Returns true if the queue has to be read now. */
    note({ type }: JobNotice): boolean {
      if (!NOTICES.has(type)) return false;
      isStale = true;
      return !isResting;
    },

    isDue: () => isStale && !isResting,

    /** Must be called before the queue is read. */
    noteRead(): void {
      isStale = false;
      isResting = true;
      cancelTimer();
      cancelTimer = clock.after(REST_MS, () => {
        isResting = false;
        if (isStale) wake();
        else refreshLater();
      });
    },

    /** Returns the event for the queue that was read. Returns undefined if the reader already has an equal event. */
    toEvent(queue: OwnQueue): JobFeedEvent | undefined {
      // The digest is kept instead of the queue, because many streams may be open.
      const digest = createHash('sha256').update(JSON.stringify(queue)).digest('base64');
      if (digest === sent) return undefined;
      sent = digest;
      return { type: 'queue', queue };
    },

    /** Stops the timer. The queue is no longer due. */
    close(): void {
      isStale = false;
      cancelTimer();
    },
  };
}
