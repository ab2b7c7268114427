import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine, warningLine } from '../../lib/config/problem.ts';
import type { Presets } from '../../lib/config/sources/named-sources.ts';
import { toBridgeError } from '../../lib/errors/bridge-error.ts';
import { createLineWriter } from '../../lib/log/line-writer.ts';
import { createTraceLog } from '../../lib/log/trace-log.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import type { Call } from '../command-table/command.ts';
import {
  type ConfigurationOptions,
  toLoadOptions,
} from '../command-table/configuration-options.ts';
import { keyWarnings } from '../key-warnings.ts';
import { activate } from '../locks/activate.ts';
import type { FileLock } from '../locks/file-lock.ts';
import { applyHeapSettings } from '../memory-settings.ts';
import { openStandardError } from '../standard-error.ts';
import { type RunningBridge, startBridge } from '../start.ts';
import { untilStopped } from '../stop-signals.ts';

export type ServeCall = Call<unknown, ConfigurationOptions & { readonly noWait: boolean }>;

/** What differs between `serve` and `quickstart`. */
interface ServeOptions {
  readonly presets?: Presets;
  /** What is printed when it listens. */
  readonly greeting: (bridge: RunningBridge, protectedBy: string | undefined) => string;
}

/**
 * Serves until a signal stops it. Resolves to the exit code: 0 after an orderly stop, 1 when it cannot start, 2 for an
 * invalid configuration, 3 when another process holds the activation lock and `--no-wait` is given.
 */
export async function serveUntilStopped(
  { options, io }: ServeCall,
  { presets = {}, greeting }: ServeOptions,
): Promise<number> {
  applyHeapSettings();
  const loaded = await loadConfig({ ...toLoadOptions(options, io), presets });
  for (const warning of loaded.warnings) io.stderr(`${warningLine(warning)}\n`);
  if (!loaded.ok) {
    for (const problem of loaded.errors) io.stderr(`${problemLine(problem)}\n`);
    return 2;
  }
  const { config, origins } = loaded;
  const lines = createLineWriter({ writeBytes: openStandardError(), clock: systemClock });
  const log = createTraceLog(lines.write, { isTracing: config.server.tracing.enabled });
  let task = 'start';
  // From here on a signal stops the bridge in order, or ends its wait for the lock.
  const stopped = untilStopped();
  let lock: FileLock | undefined;
  try {
    const activation = await activate(config, { io, stopped, waits: !options.noWait });
    if (!activation.ok) return activation.exitCode;
    lock = activation;
    const keys = await keyWarnings(config, { env: io.env, clock: systemClock });
    for (const warning of keys) io.stderr(`${warningLine(warning)}\n`);
    const bridge = await startBridge(config, { env: io.env, log, origins });
    io.stdout(greeting(bridge, config.server.bearer_token_env));
    await stopped;
    task = 'stop';
    await bridge.stop();
    return 0;
  } catch (error) {
    log.failure(error, { task });
    io.stderr(`image-bridge: ${toBridgeError(error).message}\n`);
    return 1;
  } finally {
    lock?.release();
  }
}

/** `image-bridge serve`. */
export function runServe(call: ServeCall): Promise<number> {
  const greeting = ({ address, dashboard }: RunningBridge) => {
    const page = dashboard === undefined ? '' : `The dashboard: ${dashboard}\n`;
    return `image-bridge listens on ${address}\n${page}`;
  };
  return serveUntilStopped(call, { greeting });
}
