import type { RunningBridge } from '../../server/start.ts';
import { launchBridge, type ServeCall } from '../launch.ts';
import { QUICKSTART_PRESETS } from '../quickstart-presets.ts';
import { untilStopped } from '../stop-signals.ts';

/** The differences between `serve`, `quickstart` and `dashboard`. */
interface ServeOptions extends Omit<Parameters<typeof launchBridge>[1], 'untilStopped'> {
  /** Returns the text to print when the bridge is listening. */
  readonly greeting: (bridge: RunningBridge, protectedBy: string | undefined) => string;
}

/**
 * Serves until a signal stops the bridge. Resolves with the exit code: 0 after a clean stop, or an exit code of
 * `launchBridge`.
 */
export async function serveUntilStopped(
  call: ServeCall,
  { greeting, ...options }: ServeOptions,
): Promise<number> {
  const launched = await launchBridge(call, { ...options, untilStopped });
  if (!launched.ok) return launched.exitCode;
  const { bridge, config, stopped, stop } = launched;
  call.io.stdout(greeting(bridge, config.server.bearer_token_env));
  await stopped;
  return stop();
}

export function runServe(call: ServeCall): Promise<number> {
  const greeting = ({ address, dashboard }: RunningBridge) => {
    const page = dashboard === undefined ? '' : `Dashboard: ${dashboard}\n`;
    return `image-bridge listens on ${address}\n${page}`;
  };
  return serveUntilStopped(call, { greeting });
}

/**
 * Serves with the sandbox provider. Ignores the configuration that `setup` wrote for `serve`, because this configuration may
 * enable a provider that costs money. Resolves with the exit code.
 */
export function runQuickstart(call: ServeCall): Promise<number> {
  const presets = QUICKSTART_PRESETS;
  return serveUntilStopped(call, { presets, ignoresUserFile: true, greeting: quickstartGreeting });
}

function quickstartGreeting(
  { address, dashboard }: RunningBridge,
  bearerVariable: string | undefined,
): string {
  const bearer =
    bearerVariable === undefined ? '' : ` -H "authorization: Bearer $${bearerVariable}"`;
  const page = dashboard === undefined ? '' : `\nDashboard: ${dashboard}\n`;
  return `${page}
Image Bridge listens on ${address}

Run this in another terminal to write image.png:

  curl -s ${address}/v1/images${bearer} -H 'content-type: application/json' -d '{"prompt": "a lighthouse at dusk"}' | sed 's/.*"b64_json":"\\([^"]*\\)".*/\\1/' | base64 -d > image.png

The sandbox provider generates images locally from the text of the prompt, without a network or an account.
For images from a real model, log the agent in (its auth.json is in $CODEX_HOME or ~/.codex), or set OPENAI_API_KEY or
GEMINI_API_KEY to an API key. Then this command writes a configuration for the credentials that it finds:

  npx image-bridge setup

The OpenAPI document is at ${address}/v1/openapi.json. Ctrl+C stops the bridge.

`;
}
