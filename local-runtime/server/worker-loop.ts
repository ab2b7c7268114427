import type { App } from '../../lib/app.ts';

export interface WorkerLoop {
  /** Stops claiming jobs and resolves when no job is running. If `grace` aborts, interrupts running jobs. */
  drain(grace: AbortSignal): Promise<void>;
}

/** Runs jobs in queue order, at most `maxRunning` at a time. */
export function startWorkerLoop(worker: App['worker'], maxRunning: number): WorkerLoop {
  const stopping = new AbortController();

  async function serve(): Promise<void> {
    for (;;) await worker.runNext(stopping.signal);
  }

  // Each loop ends when its last wait rejects.
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
