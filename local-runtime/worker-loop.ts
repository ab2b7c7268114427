import type { App } from '../lib/app.ts';

export interface WorkerLoop {
  /**
   * Takes no further job and resolves when none runs any more. Once `grace` aborts, those that still run are ended as
   * interrupted.
   */
  drain(grace: AbortSignal): Promise<void>;
}

/** Runs jobs in the order of the queue, so many at a time. */
export function startWorkerLoop(worker: App['worker'], maxRunning: number): WorkerLoop {
  const stopping = new AbortController();

  async function serve(): Promise<void> {
    for (;;) {
      const job = await worker.next(stopping.signal);
      await worker.run(job);
    }
  }

  // Each ends with the rejection of its last wait.
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
