import { setMaxListeners } from 'node:events';
import type { Clock } from '../platform/clock.ts';
import type { JobNotices } from './job-notices-port.ts';
import type { JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'listActive'>;
  readonly notices: JobNotices;
  readonly clock: Clock;
}

export type JobWaits = ReturnType<typeof createJobWaits>;

/** Lets requests wait for the ends of jobs, whichever process runs the jobs. */
export function createJobWaits({ store, notices, clock }: Deps) {
  const waits = new Map<string, Set<() => void>>();
  const over = new AbortController();
  // Each wait and each stream adds a listener, and Node warns about a leak above ten listeners.
  setMaxListeners(0, over.signal);

  notices.subscribe((notice) => {
    if (notice.type === 'ended') resume(notice.id);
    else if (notice.type === 'missed') void resumeEnded();
  });

  function resume(id: string): void {
    for (const listener of waits.get(id) ?? []) listener();
  }

  /** Resumes the waits for all jobs that have ended. One query serves all waits. */
  async function resumeEnded(): Promise<void> {
    const ids = [...waits.keys()];
    if (ids.length === 0) return;
    try {
      const active = new Set(await store.listActive(ids));
      for (const id of ids) if (!active.has(id)) resume(id);
    } catch {
      // Each wait has a time limit, and the read after the wait reports an unavailable store.
    }
  }

  /** Calls the listener when the end of the job is durable. Returns a function that ends the subscription. */
  function onEnded(id: string, listener: () => void): () => void {
    const listeners = waits.get(id) ?? new Set();
    waits.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && waits.get(id) === listeners) waits.delete(id);
    };
  }

  return {
    onEnded,

    /** Resolves when the job has ended, after `waitMs`, or when the signal aborts, whichever is first. */
    async untilEnded(id: string, waitMs: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted || over.signal.aborted) return;
      await new Promise<void>((resolve) => {
        const resume = () => {
          cancel();
          unsubscribe();
          signal.removeEventListener('abort', resume);
          over.signal.removeEventListener('abort', resume);
          resolve();
        };
        const cancel = clock.after(waitMs, resume);
        const unsubscribe = onEnded(id, resume);
        signal.addEventListener('abort', resume, { once: true });
        over.signal.addEventListener('abort', resume, { once: true });
      });
    },

    /** Ends all waits. Must be called when this process no longer runs any job, because its clients must disconnect. */
    over: () => over.abort(),

    /** Aborts when `over` is called. */
    whenOver: over.signal,
  };
}
