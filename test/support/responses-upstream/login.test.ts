import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { callWell, goodHeaders } from './good-calls.ts';
import { createResponsesUpstream, type ResponsesUpstream } from './responses-upstream.ts';

let upstream: ResponsesUpstream;
let laterMs: number;

const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs };

beforeEach(async () => {
  laterMs = 0;
  upstream = await createResponsesUpstream({ clock });
  upstream.setDefaultBehaviour('empty=204');
});
afterEach(() => upstream.close());

function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

async function statusWith(token: string): Promise<[number | undefined, unknown]> {
  const headers = { ...goodHeaders(upstream), authorization: `Bearer ${token}` };
  const reply = await callWell(upstream, 'A cup', { headers });
  const isRefused = reply?.status === 401;
  return [reply?.status, isRefused ? JSON.parse(reply.bytes.toString()).error.code : undefined];
}

describe('createLogin', () => {
  it('has the form of the file that the agent writes, with claims in its tokens', () => {
    const login = JSON.parse(upstream.loginFile());

    expect(login).toEqual({
      auth_mode: 'chatgpt',
      OPENAI_API_KEY: null,
      tokens: { ...upstream.tokens(), account_id: upstream.accountId },
      last_refresh: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const auth = { chatgpt_plan_type: 'pro', chatgpt_account_id: upstream.accountId };
    expect(claimsOf(login.tokens.id_token)).toMatchObject({
      email: 'someone@example.com',
      'https://api.openai.com/auth': auth,
    });
    expect(claimsOf(login.tokens.access_token)).toMatchObject({
      exp: expect.any(Number),
      'https://api.openai.com/auth': auth,
    });
  });

  it('accepts the current access token only', async () => {
    const { access_token } = upstream.tokens();

    expect(await statusWith(access_token)).toEqual([204, undefined]);
    expect(await statusWith(`${access_token}x`)).toEqual([401, 'token_unknown']);
  });

  it('expires with time', async () => {
    laterMs = 3_600_000;

    expect(await statusWith(upstream.tokens().access_token)).toEqual([401, 'token_expired']);
  });

  it('can be aged until the claims of its token say that it has expired', async () => {
    const { access_token, refresh_token } = upstream.tokens();

    upstream.expireAccessToken();

    const aged = upstream.tokens();
    expect(aged.refresh_token).toBe(refresh_token);
    expect(claimsOf(aged.access_token)['exp']).toBeLessThan(systemClock.nowMs() / 1000);
    expect(await statusWith(aged.access_token)).toEqual([401, 'token_expired']);
    expect(await statusWith(access_token)).toEqual([401, 'token_replaced']);
  });

  it('can be aged to its last minutes', async () => {
    upstream.expireAccessToken(120_000);

    expect(await statusWith(upstream.tokens().access_token)).toEqual([204, undefined]);
  });

  it('can be revoked before the token expires', async () => {
    upstream.revokeAccessToken();

    expect(await statusWith(upstream.tokens().access_token)).toEqual([401, 'token_revoked']);
  });
});
