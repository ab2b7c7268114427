import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INITIALIZE } from '../support/mcp-initialize.ts';
import { createReplyChecker, type ReplyChecker } from '../support/reply-checker.ts';
import { freshFolder, type StartedBridge, startBridge } from '../support/start-bridge.ts';
import { StretchError } from './stretches.ts';

const WATCHER = fileURLToPath(new URL('watch-loop.ts', import.meta.url));
const WARM_UP = 30;
const DOCUMENT_TRIES = 5;

export interface WatchedBridge {
  readonly bridge: StartedBridge;
  readonly checker: ReplyChecker;
  /** Throws if the program has ended, does not reply, or has computed too long since the last call. */
  expectSound(): Promise<void>;
}

/** Starts the program with a watch on its event loop. Long turns while it starts and warms up do not count. */
export async function startWatchedBridge(
  options: NonNullable<Parameters<typeof startBridge>[0]> & { readonly token?: string } = {},
): Promise<WatchedBridge> {
  const file = join(await freshFolder(), 'stretches');
  writeFileSync(file, '');
  const bridge = await startBridge({
    ...options,
    env: { ...options.env, NODE_OPTIONS: `--import=${WATCHER}`, WATCHED_LOOP: file },
  });
  const headers = { authorization: `Bearer ${options.token ?? 'none'}` };
  const document = await fetchDocument(`${bridge.address}/v1/openapi.json`, headers);
  for (let nth = 0; nth < WARM_UP; nth += 1) {
    const response = await fetch(`${bridge.address}/v1/images`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a fox', parameters: { size: '64x64' } }),
    });
    await response.arrayBuffer();
  }
  // The first request loads the code of the protocol.
  const opened = await fetch(`${bridge.address}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(INITIALIZE),
  });
  await opened.arrayBuffer();
  // The watch of a stretch reports before the next request is read.
  await (await fetch(`${bridge.address}/health/live`)).arrayBuffer();
  let seen = readFileSync(file, 'utf8').length;
  return {
    bridge,
    // Other tests check the document. Here it only has to be an object.
    checker: createReplyChecker(document as Record<string, unknown>),
    async expectSound() {
      const stretches = readFileSync(file, 'utf8');
      const news = stretches.slice(seen).trim();
      seen = stretches.length;
      if (bridge.child.exitCode !== null || bridge.child.signalCode !== null) {
        throw new Error(`the program has ended: ${bridge.stderr().slice(-2000)}`);
      }
      if (news !== '') {
        throw new StretchError(`the event loop was blocked: ${news.replaceAll('\n', ', ')}`);
      }
    },
  };
}

/** Fetches the OpenAPI document. A busy machine may reach the short time-out of reading, so a reply 408 is tried again. */
async function fetchDocument(url: string, headers: Readonly<Record<string, string>>) {
  for (let tries = DOCUMENT_TRIES; ; tries -= 1) {
    const response = await fetch(url, { headers });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as unknown;
    if (tries === 1 || response.status !== 408) throw new Error(`no OpenAPI document: ${text}`);
  }
}
