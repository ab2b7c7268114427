import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../lib/net/http-client.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { toRequestBody } from '../../../lib/providers/agent-responses/request-body.ts';
import { enabledProviders } from '../../../lib/providers/enabled-providers.ts';
import { createJsonBodies } from '../../../lib/providers/http/json-body.ts';
import { applyHeapSettings } from '../../../local-runtime/server/memory-settings.ts';
import { slices } from '../../support/slices.ts';
import type { Backend } from './backend.ts';
import { IMAGE_REQUEST } from './image-request.ts';
import { programOptions } from './measured-server.ts';
import { meterOf } from './stream-meter.ts';

/** Reads images from the backend, many at a time. */
export interface ReaderOptions extends Backend {
  readonly home: string;
  /** Reader: the provider, a loop that decodes every byte as base64, or a loop that discards the bytes. */
  readonly kind: 'provider' | 'decode' | 'drop';
}

const options = programOptions<ReaderOptions>();

applyHeapSettings();
// Every kind of reader loads the whole app, because the cost of garbage collection depends on it.
const ours = await throughProvider();
meterOf(options.kind === 'provider' ? ours : plainly(options.kind));

async function throughProvider(): Promise<() => Promise<void>> {
  const loaded = await loadConfig({
    env: {},
    cwd: options.home,
    set: [
      `providers.agent_responses.endpoint=${options.url}`,
      `providers.agent_responses.token_endpoint=${options.tokenUrl}`,
      `providers.agent_responses.home=${options.home}`,
    ],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const clock = systemClock;
  const { providers } = enabledProviders(loaded.config, {
    engine: createImageEngine({ limits: loaded.config.images, clock, slices }),
    httpClient: createHttpClient(),
    slices,
    clock,
    ids: createIds(clock.nowMs),
    env: {},
  });
  return async () => {
    await providers[0]?.execute(IMAGE_REQUEST, {
      requestId: 'a-request',
      attempt: 1,
      signal: new AbortController().signal,
      onEvent: () => undefined,
      accepted: async () => false,
      billedAs: () => {},
      remainingMs: () => 60_000,
    });
  };
}

/** The smallest work of any reader of the same bytes. `decode` keeps the image, as every reader must. */
function plainly(kind: 'decode' | 'drop'): () => Promise<void> {
  const dispatcher = new Agent();
  const { tokens } = JSON.parse(readFileSync(join(options.home, 'auth.json'), 'utf8'));
  const headers = {
    authorization: `Bearer ${tokens.access_token}`,
    'chatgpt-account-id': tokens.account_id,
    originator: 'image-bridge',
    'content-type': 'application/json',
    accept: 'text/event-stream',
  };
  const toJsonBody = createJsonBodies({
    ids: createIds(Date.now),
    slices,
  });
  const body = buffer(
    toRequestBody(IMAGE_REQUEST, 'gpt-5.5', toJsonBody).chunks(new AbortController().signal),
  );
  return async () => {
    const reply = await request(options.url, {
      method: 'POST',
      headers,
      body: await body,
      dispatcher,
    });
    const decoded: Buffer[] = [];
    for await (const chunk of reply.body) {
      // Without an encoding, chunks are buffers.
      if (kind === 'decode')
        decoded.push(Buffer.from((chunk as Buffer).toString('latin1'), 'base64'));
    }
    if (reply.statusCode !== 200) throw new Error(`the backend replied ${reply.statusCode}`);
    Buffer.concat(decoded);
  };
}
