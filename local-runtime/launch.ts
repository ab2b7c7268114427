import { loadConfig } from '../lib/config/load-config.ts';
import { problemLine, warningLine } from '../lib/config/problem.ts';
import type { Config } from '../lib/config/settings/settings.ts';
import type { Presets } from '../lib/config/sources/source.ts';
import { toBridgeError } from '../lib/errors/bridge-error.ts';
import { createLineWriter } from '../lib/log/line-writer.ts';
import { createTraceLog } from '../lib/log/trace-log.ts';
import { systemClock } from '../lib/platform/clock.ts';
import type { Call } from './command-table/command.ts';
import { type ConfigurationOptions, toLoadOptions } from './command-table/configuration-options.ts';
import { keyWarnings } from './key-warnings.ts';
import { activate } from './locks/activate.ts';
import { applyHeapSettings } from './memory-settings.ts';
import { openStandardError } from './standard-error.ts';
import { type RunningBridge, startBridge } from './start.ts';

const FOR_OWNER = 0o077;

export type ServeCall = Call<unknown, ConfigurationOptions & { readonly noWait: boolean }>;

interface LaunchOptions {
  readonly presets?: Presets;
  /** True if the file of the user's configuration folder is left out. */
  readonly ignoresUserFile?: boolean;
  /** From its call on, a signal stops the bridge in order, or ends its wait for the lock. */
  readonly untilStopped: () => Promise<void>;
}

type Launched =
  | {
      readonly ok: true;
      readonly bridge: RunningBridge;
      readonly config: Config;
      /** Resolves when a signal has come. */
      readonly stopped: Promise<void>;
      /** Resolves to the exit code: 0 after an orderly stop. */
      stop(): Promise<number>;
    }
  | { readonly ok: false; readonly exitCode: number };

/**
 * Starts a bridge as a command is asked to. What keeps it from starting is reported. Exit codes: 1 when it cannot start, 2
 * for an invalid configuration, 3 when another process holds the activation lock and `--no-wait` is given.
 */
export async function launchBridge(
  { options, io }: ServeCall,
  { presets = {}, ignoresUserFile, untilStopped }: LaunchOptions,
): Promise<Launched> {
  applyHeapSettings();
  const sources = { ...toLoadOptions(options, io), presets, ignoresUserFile };
  const loaded = await loadConfig(sources);
  for (const warning of loaded.warnings) io.stderr(`${warningLine(warning)}\n`);
  if (!loaded.ok) {
    for (const problem of loaded.errors) io.stderr(`${problemLine(problem)}\n`);
    return { ok: false, exitCode: 2 };
  }
  const { config, origins } = loaded;
  // Beside the rights that every file is made with, for what a library makes.
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
    const keys = await keyWarnings(config, { env: io.env, clock: systemClock });
    for (const warning of keys) io.stderr(`${warningLine(warning)}\n`);
    const bridge = await startBridge(config, { env: io.env, log, origins });
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
