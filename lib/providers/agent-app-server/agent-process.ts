import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  /** `shutdown_timeout_ms`. */
  readonly shutdownTimeoutMs: number;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** All of the child's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface AgentProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Ends the process and all processes of its group at once. */
  kill(): void;
  /** Closes its input, then SIGTERM, then SIGKILL. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a process in a group of its own, so that a signal of the terminal does not reach it. If this process is killed, the
 * child sees the end of its input. Throws `configuration` when the file cannot be started.
 */
export async function startAgentProcess(
  { file, args, env, cwd }: Command,
  { clock, shutdownTimeoutMs }: Deps,
): Promise<AgentProcess> {
  const child = spawn(file, [...args], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      // What it has started itself would hold its output open, and live on.
      signalGroup(child, 'SIGKILL');
      resolve();
    });
  });
  const { stdin: input, stdout: output } = child;
  // A write to a process that has ended fails here; the end of its output is what counts.
  input.on('error', () => {});
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new BridgeError('configuration', 'the executable of the agent cannot be started', {
      cause,
    });
  }
  let stopping: Promise<void> | undefined;

  async function stop(): Promise<void> {
    input.end();
    const cancelTerm = clock.after(shutdownTimeoutMs / 2, () => signalGroup(child, 'SIGTERM'));
    const cancelKill = clock.after(shutdownTimeoutMs, () => signalGroup(child, 'SIGKILL'));
    await ended;
    cancelTerm();
    cancelKill();
  }

  return {
    input,
    output,
    kill: () => signalGroup(child, 'SIGKILL'),
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group runs any more.
  }
}
