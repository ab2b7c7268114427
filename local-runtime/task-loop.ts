import type { Task } from '../lib/diagnostics/readiness.ts';
import { type Clock, sleep } from '../lib/platform/clock.ts';

/** Runs each task again and again, `everyMs` after its last run ended; `stop` resolves when none runs any more. */
export function startTasks(tasks: readonly Task[], clock: Clock): { stop(): Promise<void> } {
  const ending = new AbortController();
  const loops = tasks.map((task) => loop(task, clock, ending.signal));
  return {
    async stop() {
      ending.abort();
      await Promise.all(loops);
    },
  };
}

async function loop({ everyMs, run }: Task, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A task answers for its own failures; one that throws all the same must not end the others.
    await run(signal).catch(() => {});
    await sleep(clock, everyMs, signal).catch(() => {});
  }
}
