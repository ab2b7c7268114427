import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from './wire.ts';

interface RunningTurn {
  readonly id: string;
  /** Ends the turn. Absent as long as the turn cannot be interrupted. */
  interrupt?: () => Reply | undefined;
}

/** Input of a turn. */
export interface Begun {
  readonly turn: RunningTurn;
  /** Called when the thread has no turn any longer. */
  end(): void;
  /** Called when the thread leaves the memory of the agent. */
  unload(): void;
}

/** Creates the threads of the stand-in: loaded threads, and threads that had a turn, stored as files below its home. */
export function createThreads(home: string) {
  const loaded = new Map<string, RunningTurn | undefined>();
  const folder = join(home, 'sessions');
  const file = (id: string) => join(folder, `${id}.jsonl`);

  return {
    start(): string {
      const id = randomUUID();
      loaded.set(id, undefined);
      return id;
    },

    resume(id: string): Reply {
      if (!existsSync(file(id))) return { error: `no rollout found for thread id ${id}` };
      if (!loaded.has(id)) loaded.set(id, undefined);
      return { result: { thread: { id } } };
    },

    delete(id: string): Reply {
      if (!existsSync(file(id))) return { error: `no rollout found for thread id ${id}` };
      loaded.get(id)?.interrupt?.();
      loaded.delete(id);
      rmSync(file(id));
      return { result: {} };
    },

    interrupt(id: string): Reply | undefined {
      const turn = loaded.get(id);
      return turn?.interrupt ? turn.interrupt() : { result: {} };
    },

    begin(id: string): Begun | { readonly error: string } {
      if (!loaded.has(id)) return { error: `thread not found: ${id}` };
      // The real agent adds the input to the running turn, but the provider must not rely on this.
      if (loaded.get(id))
        return { error: 'the stand-in received a second turn while one was running' };
      const turn: RunningTurn = { id: randomUUID() };
      loaded.set(id, turn);
      mkdirSync(folder, { recursive: true });
      writeFileSync(file(id), '{}\n', { flag: 'a' });
      return { turn, end: () => loaded.set(id, undefined), unload: () => loaded.delete(id) };
    },
  };
}
