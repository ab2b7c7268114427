import { type Clock, sleep } from '../../lib/platform/clock.ts';
import type { Task } from '../../lib/platform/task.ts';

/**
 * Runs each task repeatedly, `everyMs` after the end of its previous run. `stop` resolves when all tasks have stopped. Tasks
 * record their own failures. If one task rejects, the other tasks continue.
 */
export function startTasks(tasks: readonly Task[], clock: Clock): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = tasks.map((task) => loop(task, clock, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop({ everyMs, run }: Task, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await run(signal).catch(() => {});
    await sleep(clock, everyMs, signal).catch(() => {});
  }
}
