import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuMs, residentMb } from './process-use.ts';
import type { ServerProcess } from './server-process.ts';

/** The options to start the program, which ends with the run at the latest. */
export interface ProgramOptions {
  readonly command: 'quickstart' | 'serve';
  /** Folder in which it creates a new folder for its state. */
  readonly folder: string;
  /** Settings in the form of `--set`. */
  readonly settings?: readonly string[];
  /** Variables of its environment, besides `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  /** Time from `spawn` to the line with its address. */
  readonly ms: number;
}

export const PROGRAM = fileURLToPath(new URL('../../../bundle/main.js', import.meta.url));

/** Starts the program as a user does. Resolves when it has printed its address. */
export async function spawnProgram({ command, folder, settings = [], env }: ProgramOptions) {
  const cwd = await mkdtemp(join(folder, 'program-'));
  const sets = ['server.bind=127.0.0.1:0', ...settings].flatMap((setting) => ['--set', setting]);
  return untilItListens([PROGRAM, command, ...sets], cwd, env);
}

/** Runs Node to its end. Resolves with the duration. */
export async function runNode(argv: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, argv, { stdio: 'ignore' });
  await once(child, 'exit');
  return performance.now() - startMs;
}

/** Starts a gateway whose active slot is the bridge at a port. The other slot is never started. */
export function spawnGateway(options: {
  readonly folder: string;
  /** Path of the coordination file. */
  readonly coordination: string;
  readonly port: number;
}): Promise<Started> {
  const origins = ['--blue', `http://127.0.0.1:${options.port}`, '--green', 'http://127.0.0.1:9'];
  const slots = [...origins, '--coordination', options.coordination];
  return untilItListens([PROGRAM, 'gateway', '--bind', '127.0.0.1:0', ...slots], options.folder);
}

/** Starts Node. Resolves when it has printed `listens on` and an address. */
export async function untilItListens(
  argv: readonly string[],
  cwd: string,
  env: ProgramOptions['env'] = {},
): Promise<Started> {
  const startMs = performance.now();
  const child = spawn(process.execPath, argv, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    // Its log is discarded because writing the log is not measured.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const port = /listens on http:\/\/\S+?:(\d+)/.exec(output)?.[1];
    if (port !== undefined) return { child, port: Number(port), ms: performance.now() - startMs };
  }
  throw new Error('the program ended before it listened');
}

/** The program as a server of a comparison. Its event loop cannot be observed from outside. */
export function asServer({ child, port }: Started): ServerProcess {
  // The process has started, so it has an id.
  const pid = child.pid ?? 0;
  let before = 0;
  return {
    port,
    async begin() {
      before = cpuMs(pid);
    },
    async end() {
      return {
        cpuMs: cpuMs(pid) - before,
        loopP99Ms: Number.NaN,
        loopMaxMs: Number.NaN,
        residentMb: residentMb(pid),
        peakMb: Number.NaN,
      };
    },
    stop: () => kill(child),
  };
}

/** Resolves when the process has ended. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
