import type { ServeCall } from '../launch.ts';
import { QUICKSTART_PRESETS } from '../quickstart-presets.ts';
import type { RunningBridge } from '../start.ts';
import { serveUntilStopped } from './serve.ts';

/**
 * `image-bridge quickstart`: serves at once, with the provider that needs nothing. What `setup` has written for `serve` is
 * left out, because it may name a provider that costs money.
 */
export function runQuickstart(call: ServeCall): Promise<number> {
  const options = { presets: QUICKSTART_PRESETS, ignoresUserFile: true, greeting };
  return serveUntilStopped(call, options);
}

function greeting(
  { address, dashboard }: RunningBridge,
  bearerVariable: string | undefined,
): string {
  const bearer =
    bearerVariable === undefined ? '' : ` -H "authorization: Bearer $${bearerVariable}"`;
  const page = dashboard === undefined ? '' : `\nThe dashboard: ${dashboard}\n`;
  return `${page}
Image Bridge listens on ${address}

Paste this into another terminal. It writes image.png into its folder:

  curl -s ${address}/v1/images${bearer} -H 'content-type: application/json' -d '{"prompt": "a lighthouse at dusk"}' | sed 's/.*"b64_json":"\\([^"]*\\)".*/\\1/' | base64 -d > image.png

The images come from the sandbox provider: generated locally from the text of the prompt, without a network or an account.
For images of a real model, sign the agent in (its auth.json lies in $CODEX_HOME, else ~/.codex), or put an API key into
OPENAI_API_KEY or GEMINI_API_KEY. This writes a configuration for what it finds:

  npx image-bridge setup

The contract is at ${address}/v1/openapi.json. Ctrl+C stops the bridge.

`;
}
