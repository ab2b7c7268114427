import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuMs, residentMb } from './process-use.ts';
import type { ServerProcess } from './server-process.ts';

/** How to start the program; it ends with the run at the latest. */
export interface ProgramOptions {
  readonly command: 'quickstart' | 'serve';
  /** Where it makes its state: a new folder in this one. */
  readonly folder: string;
  /** As `--set` takes them. */
  readonly settings?: readonly string[];
}

export interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  /** From `spawn` to the line that says where it listens. */
  readonly ms: number;
}

export const PROGRAM = fileURLToPath(new URL('../../../bundle/main.js', import.meta.url));

/** Starts the program as a user does, and resolves when it has said where it listens. */
export async function spawnProgram({ command, folder, settings = [] }: ProgramOptions) {
  const cwd = await mkdtemp(join(folder, 'program-'));
  const sets = ['server.bind=127.0.0.1:0', ...settings].flatMap((setting) => ['--set', setting]);
  return untilItListens([PROGRAM, command, ...sets], cwd);
}

/** Runs Node to its end, and resolves with how long that took. */
export async function runNode(argv: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, argv, { stdio: 'ignore' });
  await once(child, 'exit');
  return performance.now() - startMs;
}

/** A gateway whose active slot is the bridge at a port; the other one is never started. */
export function spawnGateway(options: {
  readonly folder: string;
  /** The coordination file. */
  readonly coordination: string;
  readonly port: number;
}): Promise<Started> {
  const origins = ['--blue', `http://127.0.0.1:${options.port}`, '--green', 'http://127.0.0.1:9'];
  const slots = [...origins, '--coordination', options.coordination];
  return untilItListens([PROGRAM, 'gateway', '--bind', '127.0.0.1:0', ...slots], options.folder);
}

/** Starts Node and resolves when it has printed `listens on` and an address. */
export async function untilItListens(argv: readonly string[], cwd: string): Promise<Started> {
  const startMs = performance.now();
  const child = spawn(process.execPath, argv, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    // Its log is discarded: where it would go is not what is measured.
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

/** The program as a server of a comparison. Its event loop cannot be watched from outside. */
export function asServer({ child, port }: Started): ServerProcess {
  // It has started, so it has an id.
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
