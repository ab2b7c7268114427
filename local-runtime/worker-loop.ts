import type { App } from '../lib/app.ts';

export interface WorkerLoop {
  /** Claims no further job and resolves when none runs any more. When `grace` aborts, running jobs become interrupted. */
  drain(grace: AbortSignal): Promise<void>;
}

/** Runs jobs in the order of the queue, at most `maxRunning` at a time. */
export function startWorkerLoop(worker: App['worker'], maxRunning: number): WorkerLoop {
  const stopping = new AbortController();

  async function serve(): Promise<void> {
    for (;;) {
      const job = await worker.next(stopping.signal);
      await worker.run(job);
    }
  }

  // Each loop ends with the rejection of its last wait.
  const serving = Promise.allSettled(Array.from({ length: maxRunning }, serve));

  return {
    async drain(grace) {
      stopping.abort();
      if (grace.aborted) worker.interruptAll();
      else grace.addEventListener('abort', worker.interruptAll, { once: true });
      await serving;
      grace.removeEventListener('abort', worker.interruptAll);
      worker.over();
    },
  };
}
