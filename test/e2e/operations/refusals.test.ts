import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startBridge();
});
afterAll(cleanUp);

it.each(['search=%FF', 'limit=%zz', 'search=%E2%82', 'cursor=100%'])(
  'rejects the query %s, which is not valid text',
  async (query) => {
    const response = await fetch(`${bridge.address}/v1/jobs?${query}`);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
  },
);
