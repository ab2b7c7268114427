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
import { applyHeapSettings } from '../heap-settings.ts';
import { openStandardError } from '../standard-error.ts';
import { type RunningBridge, startBridge } from '../start.ts';
import { untilStopped } from '../stop-signals.ts';
import { refuseUnsupportedSettings } from '../unsupported-settings.ts';

type ServeCall = Call<unknown, ConfigurationOptions>;

/** What differs between `serve` and `quickstart`. */
interface ServeOptions {
  readonly presets?: Presets;
  /** What is printed when it listens. */
  readonly greeting: (bridge: RunningBridge, protectedBy: string | undefined) => string;
}

/**
 * Serves until a signal stops it. Resolves to the exit code: 0 after an orderly stop, 1 when it cannot start, 2 for an
 * invalid configuration.
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
  try {
    refuseUnsupportedSettings(config);
    const bridge = await startBridge(config, { env: io.env, log, origins });
    const stopped = untilStopped();
    // Once this is written, a signal stops the bridge in order.
    io.stdout(greeting(bridge, config.server.bearer_token_env));
    await stopped;
    task = 'stop';
    await bridge.stop();
    return 0;
  } catch (error) {
    log.failure(error, { task });
    io.stderr(`image-bridge: ${toBridgeError(error).message}\n`);
    return 1;
  }
}

/** `image-bridge serve`. */
export function runServe(call: ServeCall): Promise<number> {
  const greeting = ({ address }: RunningBridge) => `image-bridge listens on ${address}\n`;
  return serveUntilStopped(call, { greeting });
}
