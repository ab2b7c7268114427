import type { App } from '../../lib/app.ts';

/**
 * Runs jobs in queue order, at most `maxRunning` at a time. Beside these jobs, jobs that ended processes have left continue, and one
 * job that the bridge makes without a model may run.
 */
export function startWorkerLoop(worker: App['worker'], maxRunning: number) {
  const stopping = new AbortController();

  async function serve(runNext: App['worker']['runNext']): Promise<void> {
    for (;;) await runNext(stopping.signal);
  }

  // Each loop ends when its `runNext` rejects.
  const serving = Promise.allSettled([
    worker.serveResumed(stopping.signal),
    ...Array.from({ length: maxRunning }, () => serve(worker.runNext)),
    serve(worker.runNextOwn),
  ]);

  return {
    /**
     * Stops claiming jobs and resolves when no job is running. If `grace` aborts, interrupts running jobs, or leaves them to the
     * next process.
     */
    async drain(grace: AbortSignal): Promise<void> {
      stopping.abort();
      if (grace.aborted) worker.interruptAll();
      else grace.addEventListener('abort', worker.interruptAll, { once: true });
      await serving;
      grace.removeEventListener('abort', worker.interruptAll);
      worker.over();
    },
  };
}
