import type { CommandIo } from '../command-io.ts';
import type { RunningBridge } from '../start.ts';
import { runServe } from './serve.ts';

// What a newcomer needs and no configuration has said otherwise; rehearsed failures must not lock anybody out.
const PRESETS = {
  default_provider: 'sandbox',
  'providers.sandbox.enabled': true,
  'runtime.circuit_breakers.sandbox.enabled': false,
} as const;

/** `image-bridge quickstart`: serves at once, with the provider that needs nothing. */
export function runQuickstartCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  return runServe(argv, io, { name: 'quickstart', presets: PRESETS, greeting });
}

function greeting({ address }: RunningBridge, bearerVariable: string | undefined): string {
  const bearer =
    bearerVariable === undefined ? '' : ` -H "authorization: Bearer $${bearerVariable}"`;
  return `
Image Bridge listens on ${address}

Paste this into another terminal; it leaves image.png in that folder:

  curl -s ${address}/v1/images${bearer} -H 'content-type: application/json' -d '{"prompt": "a lighthouse at dusk"}' | sed 's/.*"b64_json":"\\([^"]*\\)".*/\\1/' | base64 -d > image.png

The images come from the sandbox provider: drawn right here, without a network or an account, from nothing but the prompt's letters.
For images of a real model, sign the agent in (its auth.json lies in $CODEX_HOME, else ~/.codex), then serve with the provider agent-responses:

  npx image-bridge serve

The contract is at ${address}/v1/openapi.json. Ctrl+C stops the bridge.

`;
}
