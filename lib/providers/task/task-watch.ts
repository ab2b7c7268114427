import type { RequestPace } from './request-pace.ts';
import type { TaskClient } from './task-client.ts';
import type { TaskFacts } from './task-service.ts';
import type { FoundState, Task } from './task-start.ts';
import { nextPollMs, type TaskTiming } from './task-timing.ts';

interface Deps {
  readonly client: Pick<TaskClient, 'read'>;
  readonly pace: RequestPace;
  readonly timing: TaskTiming;
}

/** Creates the function that waits until a task has ended. */
export function createTaskWatch({ client, pace, timing }: Deps) {
  /**
   * Polls until the task has ended, and then reads its result. A read that fails is repeated with growing waits until the
   * signal aborts. `onRunning` is called once, when the task has begun.
   */
  return async function ended(
    { ticket, first }: Omit<Task, 'isStored'>,
    call: TaskFacts,
    signal: AbortSignal,
    onRunning: () => void,
  ): Promise<FoundState> {
    let url = ticket.poll;
    let isRunning = false;
    let waitMs = timing.firstPollMs;
    for (let found = first; ; ) {
      if (found && hasEnded(found)) return found;
      if (found?.state.phase === 'waiting' && found.state.isRunning && !isRunning) {
        isRunning = true;
        onRunning();
      }
      if (found?.state.phase === 'stored' && ticket.result !== undefined && url !== ticket.result) {
        url = ticket.result;
        // The task has ended, so that the first read of the result need not wait.
        waitMs = 0;
      }
      await pace.wait(waitMs, signal);
      const of = url === ticket.result ? 'result' : 'poll';
      const read = await client.read(url, of, call, signal);
      found = read.found;
      const askedMs = Math.min(read.waitMs, timing.longestAskedMs);
      waitMs = Math.max(nextPollMs(waitMs || timing.firstPollMs, timing), askedMs);
    }
  };
}

function hasEnded({ state }: FoundState): boolean {
  return state.phase !== 'waiting' && state.phase !== 'stored';
}
