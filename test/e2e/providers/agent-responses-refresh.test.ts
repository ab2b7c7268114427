import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
} from '../../support/responses-upstream/responses-upstream.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { agentSettings } from './agent-responses-rig.ts';

// Set LOGIN_ROUNDS=20 for a long run.
const REQUESTS = Number(process.env['LOGIN_REQUESTS'] ?? 50);
const ROUNDS = Number(process.env['LOGIN_ROUNDS'] ?? 1);
const TIMEOUT_MS = 30_000 + ROUNDS * REQUESTS * 200;

let upstream: ResponsesUpstream | undefined;

afterEach(async () => {
  await cleanUp();
  await upstream?.close();
});

/** Starts two programs that share one login. */
async function startTwo() {
  const home = await freshFolder();
  const started = await createResponsesUpstream({ imageBytes: 30_000, imageVariants: 1 });
  upstream = started;
  await started.writeLogin(home);
  const start = () => startBridge({ command: 'serve', set: agentSettings(started, home) });
  const bridges = await Promise.all([start(), start()]);
  return { home, upstream: started, bridges };
}

/** Requests many images from both programs at once. Resolves with the statuses. */
function requestAll(bridges: readonly StartedBridge[]): Promise<number[]> {
  return Promise.all(
    Array.from({ length: REQUESTS }, async (_, index) => {
      const address = bridges[index % bridges.length]?.address;
      const response = await fetch(`${address}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'a fox', output: { response_format: 'metadata' } }),
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
}

const ALL_WELL = Array(REQUESTS).fill(200);

describe('two programs with one login', () => {
  it(`renew it once for ${REQUESTS} concurrent requests after it has expired`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { home, upstream, bridges } = await startTwo();
    for (let round = 1; round <= ROUNDS; round += 1) {
      upstream.expireAccessToken();
      await upstream.writeLogin(home);

      const statuses = await requestAll(bridges);

      expect(statuses).toEqual(ALL_WELL);
      expect(upstream.counters()).toMatchObject({
        calls: round * REQUESTS,
        refused: 0,
        refreshCalls: round,
        refreshes: round,
      });
      const stored = JSON.parse(await readFile(join(home, 'auth.json'), 'utf8'));
      expect(stored.tokens).toMatchObject({ ...upstream.tokens() });
    }
  });

  it(`renew it once for ${REQUESTS} concurrent requests when the backend rejects it`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { upstream, bridges } = await startTwo();
    for (let round = 1; round <= ROUNDS; round += 1) {
      upstream.revokeAccessToken();

      const statuses = await requestAll(bridges);

      expect(statuses).toEqual(ALL_WELL);
      const { replied, refreshCalls, refreshes } = upstream.counters();
      expect(replied).toBe(round * REQUESTS);
      expect([refreshCalls, refreshes]).toEqual([round, round]);
    }
  });
});
