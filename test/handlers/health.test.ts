import { describe, expect, it } from 'vitest';
import { handler as getLiveness } from '../../handlers/health/get-liveness.ts';
import { handler as getReadiness } from '../../handlers/health/get-readiness.ts';
import { invoke } from '../support/invoke.ts';

describe('getLiveness', () => {
  it('replies without a service, a token or a known host', async () => {
    const reply = await invoke(getLiveness, { headers: { host: 'probe' } }, {});

    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ status: 'live' });
  });
});

describe('getReadiness', () => {
  it.each([
    [true, 200, 'ready'],
    [false, 503, 'not_ready'],
  ])('replies to readiness %s with %i and only the status %s', async (ready, status, word) => {
    const services = { readiness: { isReady: async () => ready } };

    const reply = await invoke(getReadiness, { query: 'from=balancer' }, services);

    expect(reply.status).toBe(status);
    expect(reply.json).toEqual({ status: word });
  });
});
