import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { YOUNG_GENERATION } from '../../../local-runtime/server/memory-settings.ts';

/** The resources that the process of a server used between `begin` and `end`. */
export interface Span {
  /** CPU time of all its threads. */
  readonly cpuMs: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  readonly residentMb: number;
  /** Greatest resident memory so far. */
  readonly peakMb: number;
}

export interface ServerProcess {
  readonly port: number;
  begin(): Promise<void>;
  end(): Promise<Span>;
  stop(): Promise<void>;
}

export type ProgramName = 'bridge' | 'floor' | 'form' | 'images-server' | 'task-server';

/** Starts a program of `programs/` in a process of its own, which ends with this process at the latest. */
export type StartServer = (program: ProgramName, options: object) => Promise<ServerProcess>;

export const startServer: StartServer = async (program, options) => {
  const file = fileURLToPath(new URL(`../programs/${program}.js`, import.meta.url));
  // The other side of a comparison is a Node program with default settings.
  const isOurs = program === 'bridge' || program === 'form';
  const execArgv = isOurs ? [YOUNG_GENERATION] : [];
  const child = fork(file, [JSON.stringify(options)], { execArgv });
  const { port } = await messageFrom<{ readonly port: number }>(child);
  return {
    port,
    async begin() {
      await ask(child, 'begin');
    },
    end: () => ask<Span>(child, 'end'),
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
};

/** Sends one message and resolves with the reply. Rejects if the process ends first. */
export async function ask<T>(child: ChildProcess, message: string | object): Promise<T> {
  const reply = messageFrom<T>(child);
  child.send(message);
  return reply;
}

async function messageFrom<T>(child: ChildProcess): Promise<T> {
  const over = new AbortController();
  const onExit = () => over.abort();
  child.once('exit', onExit);
  try {
    const [message] = await once(child, 'message', { signal: over.signal });
    // The cast is safe because this project writes both ends of the channel.
    return message as T;
  } catch (cause) {
    throw new Error(`a process of the bench has ended: ${child.spawnargs.at(1)}`, { cause });
  } finally {
    child.off('exit', onExit);
  }
}
