import { writeSync } from 'node:fs';
import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine, type Warning, warningLine } from '../../lib/config/problem.ts';
import { registeredProviders } from '../../lib/config/settings/provider-names.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import type { Presets } from '../../lib/config/sources/source.ts';
import { toBridgeError } from '../../lib/errors/bridge-error.ts';
import { toFailureReport } from '../../lib/log/failure-report.ts';
import { createLineWriter } from '../../lib/log/line-writer.ts';
import { createTraceLog } from '../../lib/log/trace-log.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { findKeyProblem } from '../../lib/providers/credentials/key-source.ts';
import { startStorage } from '../../lib/storage/open-stores.ts';
import { describeHolder, takeActivationLock } from '../server/locks/activation-lock.ts';
import type { FileLock } from '../server/locks/file-lock.ts';
import { applyHeapSettings } from '../server/memory-settings.ts';
import { type RunningBridge, startBridge } from '../server/start.ts';
import type { CommandIo } from './command-io.ts';
import type { Call } from './command-table/command.ts';
import { type ConfigurationOptions, toLoadOptions } from './command-table/options.ts';

const FOR_OWNER = 0o077;

export type ServeCall = Call<unknown, ConfigurationOptions & { readonly noWait: boolean }>;

interface LaunchOptions {
  readonly presets?: Presets;
  /** True to ignore the file in the user's configuration folder. */
  readonly ignoresUserFile?: boolean;
  /**
   * Resolves when the process receives a stop signal. After this call, a signal no longer ends the process, but ends the wait
   * for the lock or stops the bridge.
   */
  readonly untilStopped: () => Promise<void>;
}

type Launched =
  | {
      readonly ok: true;
      readonly bridge: RunningBridge;
      readonly config: Config;
      /** Resolves when a signal has been received. */
      readonly stopped: Promise<void>;
      /** Stops the bridge. Resolves with the exit code: 0 after a clean stop. */
      stop(): Promise<number>;
    }
  | { readonly ok: false; readonly exitCode: number };

/**
 * Starts a bridge with the options of a command. Prints the reason if the bridge cannot start. Exit codes: 1 if the bridge
 * cannot start, 2 if the configuration is invalid, 3 if another process holds the activation lock and `--no-wait` is set.
 */
export async function launchBridge(call: ServeCall, options: LaunchOptions): Promise<Launched> {
  applyHeapSettings();
  const storage = startStorage({}, call.io.storageThread);
  const launched = await launch(call, options, storage);
  if (!launched.ok) await storage.close();
  return launched;
}

async function launch(
  { options, io }: ServeCall,
  { presets = {}, ignoresUserFile, untilStopped }: LaunchOptions,
  storage: Pick<ReturnType<typeof startStorage>, 'open'>,
): Promise<Launched> {
  const sources = { ...toLoadOptions(options, io), presets, ignoresUserFile };
  const loaded = await loadConfig(sources);
  for (const warning of loaded.warnings) io.stderr(`${warningLine(warning)}\n`);
  if (!loaded.ok) {
    for (const problem of loaded.errors) io.stderr(`${problemLine(problem)}\n`);
    return { ok: false, exitCode: 2 };
  }
  const { config, origins } = loaded;
  // The bridge creates files with explicit permissions. The umask protects the files that libraries create.
  if (config.artifacts.permissions === 'owner') process.umask(FOR_OWNER);
  const lines = createLineWriter({ writeBytes: openStandardError(), clock: systemClock });
  const log = createTraceLog(lines.write, { isTracing: config.server.tracing.enabled });
  const fail = (error: unknown, task: string) => {
    log.failure(error, { task });
    io.stderr(`image-bridge: ${toBridgeError(error).message}\n`);
    return 1;
  };
  const stopped = untilStopped();
  const activation = await activate(config, { io, stopped, waits: !options.noWait }).catch(
    (error: unknown) => ({ ok: false, exitCode: fail(error, 'start') }) as const,
  );
  if (!activation.ok) return activation;
  try {
    const keys = await keyWarnings(config, io.env);
    for (const warning of keys) io.stderr(`${warningLine(warning)}\n`);
    const bridge = await startBridge(config, {
      env: io.env,
      log,
      origins,
      openStorage: storage.open,
      onStorageFailure(error) {
        io.stderr(`image-bridge: ${toStorageFailure(error)}\n`);
        // The results of running work can no longer be stored. The next start recovers in the same way as after a crash.
        process.exit(1);
      },
    });
    return {
      ok: true,
      bridge,
      config,
      stopped,
      stop: () =>
        bridge
          .stop()
          .then(
            () => 0,
            (error: unknown) => fail(error, 'stop'),
          )
          .finally(() => activation.release()),
    };
  } catch (error) {
    activation.release();
    return { ok: false, exitCode: fail(error, 'start') };
  }
}

/** Returns the sentence that reports the unexpected end of a storage thread. */
function toStorageFailure(error: unknown): string {
  const { errorClass, systemCode, stack } = toFailureReport(error);
  const facts = [errorClass, systemCode, stack[0]].filter((fact) => fact !== undefined).join(', ');
  return `the storage thread has ended unexpectedly (${facts}); all acknowledged work is stored: start the bridge again`;
}

type Activation =
  | ({ readonly ok: true } & FileLock)
  | { readonly ok: false; readonly exitCode: number };

interface Options {
  readonly io: CommandIo;
  /** Ends the wait when this promise resolves. */
  readonly stopped: Promise<void>;
  /** True to wait while another process holds the lock. */
  readonly waits: boolean;
}

/**
 * Acquires `server.activation_lock` if the setting is set. Exit codes: 0 if the wait was stopped, 3 if another process holds
 * the lock and `waits` is false. Throws `configuration` if the file cannot be locked.
 */
async function activate(
  { server: { activation_lock: path } }: Config,
  { io, stopped, waits }: Options,
): Promise<Activation> {
  if (path === undefined) return { ok: true, release: () => {} };
  const waiting = new AbortController();
  let exitCode = 0;
  const end = (code: number) => {
    exitCode = code;
    waiting.abort();
  };
  void stopped.then(() => end(0));
  try {
    const lock = await takeActivationLock(path, {
      clock: systemClock,
      signal: waiting.signal,
      onHeld(holder) {
        const held = `server.activation_lock: ${path} is held by ${describeHolder(holder)}`;
        io.stderr(`image-bridge: ${held}${waits ? '; waiting for the lock' : ''}\n`);
        if (!waits) end(3);
      },
    });
    return { ok: true, ...lock };
  } catch (error) {
    if (!waiting.signal.aborted) throw error;
    return { ok: false, exitCode };
  }
}

/** Resolves with the problems with the API keys of enabled providers. The messages contain neither keys nor paths. */
async function keyWarnings(config: Config, env: CommandIo['env']): Promise<readonly Warning[]> {
  const warnings: Warning[] = [];
  for (const { path, settings } of registeredProviders(config)) {
    if (!settings.enabled || !('api_key_file' in settings)) continue;
    const found = await findKeyProblem(settings, env);
    if (found) warnings.push({ field: `${path}.${found.field}`, message: found.problem });
  }
  return warnings;
}

/**
 * Returns a function that writes to standard error without waiting for the reader. The function returns the number of bytes
 * written, and throws `EAGAIN` if a pipe or a socket is full and `EPIPE` if its reader has closed it. Files and terminals are
 * written synchronously.
 */
function openStandardError(): (bytes: Uint8Array) => number {
  // The first access to `process.stderr` opens the stream, which sets a pipe or a socket to non-blocking mode (libuv,
  // uv_pipe_open).
  process.stderr.on('error', () => {});
  return (bytes) => writeSync(2, bytes);
}
