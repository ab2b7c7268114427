import type { Clock } from '../platform/clock.ts';

/** Requests that wait for a job to end. */
export function createJobWaits(clock: Clock) {
  const waiters = new Map<string, Set<() => void>>();
  let isOver = false;

  function ended(id: string): void {
    const waiting = waiters.get(id);
    waiters.delete(id);
    for (const resume of waiting ?? []) resume();
  }

  return {
    /** To be called when the end of a job is durable. */
    ended,

    /** To be called when nothing runs here any more: only another process could end a job now, so all waits end. */
    over(): void {
      isOver = true;
      for (const id of [...waiters.keys()]) ended(id);
    },

    /** Resolves when the job has ended, the time is over, or the client has disconnected: at the first of them. */
    async untilEnded(id: string, waitMs: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted || isOver) return;
      await new Promise<void>((resolve) => {
        const waiting = waiters.get(id) ?? new Set();
        waiters.set(id, waiting);
        const resume = () => {
          cancel();
          signal.removeEventListener('abort', resume);
          waiting.delete(resume);
          if (waiting.size === 0 && waiters.get(id) === waiting) waiters.delete(id);
          resolve();
        };
        const cancel = clock.after(waitMs, resume);
        signal.addEventListener('abort', resume, { once: true });
        waiting.add(resume);
      });
    },
  };
}
