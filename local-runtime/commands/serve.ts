import type { Presets } from '../../lib/config/sources/source.ts';
import { launchBridge, type ServeCall } from '../launch.ts';
import type { RunningBridge } from '../start.ts';
import { untilStopped } from '../stop-signals.ts';

/** What differs between `serve` and `quickstart`. */
interface ServeOptions {
  readonly presets?: Presets;
  /** True if the file of the user's configuration folder is left out. */
  readonly ignoresUserFile?: boolean;
  /** What is printed when it listens. */
  readonly greeting: (bridge: RunningBridge, protectedBy: string | undefined) => string;
}

/** Serves until a signal stops it. Resolves to the exit code: 0 after an orderly stop, else as `launchBridge` says. */
export async function serveUntilStopped(
  call: ServeCall,
  { presets = {}, ignoresUserFile = false, greeting }: ServeOptions,
): Promise<number> {
  const launched = await launchBridge(call, { presets, ignoresUserFile, untilStopped });
  if (!launched.ok) return launched.exitCode;
  const { bridge, config, stopped, stop } = launched;
  call.io.stdout(greeting(bridge, config.server.bearer_token_env));
  await stopped;
  return stop();
}

/** `image-bridge serve`. */
export function runServe(call: ServeCall): Promise<number> {
  const greeting = ({ address, dashboard }: RunningBridge) => {
    const page = dashboard === undefined ? '' : `The dashboard: ${dashboard}\n`;
    return `image-bridge listens on ${address}\n${page}`;
  };
  return serveUntilStopped(call, { greeting });
}
