import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBalancer } from './balancer.ts';
import { IS_BALANCED, openDrivers } from './drivers.ts';

/** Path of the compiled program. */
export const PROGRAM = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

interface Options {
  readonly command?: 'quickstart' | 'serve' | 'dashboard';
  /** State directory. By default a new folder that `cleanUp` removes. */
  readonly cwd?: string;
  /** Port to listen on. By default a free one. */
  readonly port?: number;
  readonly set?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** File descriptor for standard error. With it, `stderr()` is empty. */
  readonly stderr?: number;
  /** True if file permissions must apply to the program, even if the tests run as root. Needs `canBind`. */
  readonly bound?: boolean;
}

const drivers = await openDrivers();

/** Returns the stored state of the bridges that work in a folder. */
export const { stateOf } = drivers;

// The program runs as root without the capabilities to ignore file permissions.
const BOUND =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];

/** True if this machine can start a program to which file permissions apply. */
export const canBind =
  BOUND.length === 0 || spawnSync('setpriv', [...BOUND.slice(1), 'true']).status === 0;

/** The end of a run of the program. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedBridge {
  readonly address: string;
  readonly port: number;
  readonly cwd: string;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The end of the run. */
  readonly ended: Promise<Ended>;
  /** Sends the signal and resolves with the end of the run. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
}

const started: Pick<StartedBridge, 'end'>[] = [];
const folders: string[] = [];

/** Creates a new folder that `cleanUp` removes. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bridge-'));
  folders.push(folder);
  return folder;
}

/**
 * Starts the compiled program as a user would. Resolves as soon as it listens. With BALANCED=true, starts two replicas behind
 * HAProxy, which look like one bridge.
 */
export async function startBridge(options: Options = {}): Promise<StartedBridge> {
  const cwd = options.cwd ?? (await freshFolder());
  if (!IS_BALANCED) return startOne({ ...options, cwd });
  const { port, ...each } = { ...options, cwd };
  const one = await startOne(each);
  const two = await startOne(each);
  const { address, stop } = await startBalancer([one.port, two.port], port);
  return {
    ...one,
    address,
    port: Number(new URL(address).port),
    stdout: () => one.stdout() + two.stdout(),
    stderr: () => one.stderr() + two.stderr(),
    async end(signal) {
      const [ended] = await Promise.all([one.end(signal), two.end(signal)]);
      await stop();
      return ended;
    },
  };
}

async function startOne(options: Options & { readonly cwd: string }): Promise<StartedBridge> {
  const { cwd } = options;
  const argv = [options.command ?? 'quickstart', ...toArguments(options)];
  const run = launchProgram(argv, cwd, options.env, options);
  const address = await new Promise<string>((resolve, reject) => {
    run.child.stdout?.on('data', () => {
      const found = /listens on (http:\S+)/.exec(run.output.stdout)?.[1];
      if (found) resolve(found);
    });
    run.ended.then(({ stderr }) =>
      reject(new Error(`the bridge ended before it listened: ${stderr}`)),
    );
  });
  const bridge: StartedBridge = {
    address,
    port: Number(new URL(address).port),
    cwd,
    child: run.child,
    stdout: () => run.output.stdout,
    stderr: () => run.output.stderr,
    ended: run.ended,
    async end(signal = 'SIGTERM') {
      run.child.kill(signal);
      return run.ended;
    },
  };
  started.push(bridge);
  return bridge;
}

/** Runs the program to its end. */
export function runProgram(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  options: Pick<Options, 'bound'> = {},
): Promise<Ended> {
  return launchProgram(argv, cwd, env, options).ended;
}

/** Stops every running bridge and removes the folders. For `afterAll`. */
export async function cleanUp(): Promise<void> {
  await Promise.all(started.splice(0).map((bridge) => bridge.end('SIGKILL')));
  await Promise.all(
    folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })),
  );
}

function toArguments({ port = 0, set = [] }: Options): string[] {
  return [`server.bind=127.0.0.1:${port}`, 'providers.sandbox.latency_ms=0', ...set].flatMap(
    (assignment) => ['--set', assignment],
  );
}

/** Starts the program without waiting. */
export function launchProgram(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  { stderr = 'pipe', bound = false }: { stderr?: number | 'pipe'; bound?: boolean } = {},
) {
  const [file = process.execPath, ...words] = [...(bound ? BOUND : []), process.execPath];
  const child = spawn(file, [...words, PROGRAM, ...argv], {
    cwd,
    // Environment variables of the test run must not reach the program.
    env: { PATH: process.env['PATH'] ?? '', ...drivers.variables(cwd), ...env },
    stdio: ['pipe', 'pipe', stderr],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...output }));
  return { child, output, ended };
}
