import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendPlain } from '../upstream/plain-client.ts';
import { callWell, goodHeaders } from './good-calls.ts';
import { createResponsesUpstream, type ResponsesUpstream } from './responses-upstream.ts';
import { TOKEN_BEHAVIOURS, type TokenBehaviourName } from './token-behaviours.ts';

const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';

let upstream: ResponsesUpstream;

beforeEach(async () => {
  upstream = await createResponsesUpstream({ silenceMs: 10 });
  upstream.setDefaultBehaviour('empty=204');
});
afterEach(() => upstream.close());

function refresh(refresh_token: string, changes: Readonly<Record<string, unknown>> = {}) {
  const body = { client_id: CLIENT_ID, grant_type: 'refresh_token', refresh_token, ...changes };
  const headers = { 'content-type': 'application/json' };
  return sendPlain({ url: upstream.tokenUrl, headers, body: JSON.stringify(body) });
}

function read(bytes: Buffer | undefined) {
  return JSON.parse(bytes?.toString() ?? 'null');
}

describe('createTokenEndpoint', () => {
  it('exchanges a refresh token once', async () => {
    const before = upstream.tokens();

    const first = await refresh(before.refresh_token);
    const second = await refresh(before.refresh_token);

    expect(first?.status).toBe(200);
    expect(read(first?.bytes)).toEqual(upstream.tokens());
    expect(new Set([...Object.values(before), ...Object.values(upstream.tokens())]).size).toBe(6);
    expect(second?.status).toBe(401);
    expect(read(second?.bytes).error.code).toBe('refresh_token_reused');
    expect(upstream.counters()).toMatchObject({ refreshCalls: 2, refreshes: 1 });
  });

  it('replaces the access token', async () => {
    const { access_token, refresh_token } = upstream.tokens();

    await refresh(refresh_token);

    const headers = { ...goodHeaders(upstream), authorization: `Bearer ${access_token}` };
    expect((await callWell(upstream, 'A cup', { headers }))?.status).toBe(401);
    expect((await callWell(upstream, 'A cup'))?.status).toBe(204);
  });

  it.each(['expired', 'invalidated'] as const)('rejects a token that is %s', async (fault) => {
    upstream.spoilRefreshToken(fault);

    const reply = await refresh(upstream.tokens().refresh_token);

    expect([reply?.status, read(reply?.bytes).error.code]).toEqual([401, `refresh_token_${fault}`]);
  });

  it('exchanges tokens again after signing in again', async () => {
    upstream.spoilRefreshToken('expired');

    upstream.signInAgain();

    expect((await refresh(upstream.tokens().refresh_token))?.status).toBe(200);
  });

  it.each([
    ['client_id', { client_id: 'app_other' }],
    ['grant_type', { grant_type: 'authorization_code' }],
    ['refresh_token', { refresh_token: '' }],
    ['scope', { scope: 'openid' }],
  ])('rejects a body with a wrong %s', async (param, changes) => {
    const reply = await refresh(upstream.tokens().refresh_token, changes);

    expect(reply?.status).toBe(400);
    expect(read(reply?.bytes).error.param).toBe(param);
    expect(upstream.refreshes).toEqual([]);
  });

  it('rejects a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };

    const reply = await sendPlain({
      url: upstream.tokenUrl,
      headers,
      body: 'grant_type=refresh_token',
    });

    expect(reply?.status).toBe(400);
  });

  const OUTCOMES: Readonly<Record<TokenBehaviourName, readonly [number | undefined, boolean]>> = {
    succeed: [200, true],
    slow: [200, true],
    'keeps-refresh-token': [200, true],
    'access-token-only': [200, true],
    'more-members': [200, true],
    'refused=expired': [401, false],
    'refused=reused': [401, false],
    'refused=invalidated': [401, false],
    'refused=other': [401, false],
    'refused=invalid_grant': [400, false],
    'refused=invalid_grant,nested': [400, false],
    'status=400': [400, false],
    'status=403': [403, false],
    'status=404': [404, false],
    'status=408': [408, false],
    'status=429': [429, false],
    'status=500': [500, false],
    'status=502': [502, false],
    'status=503': [503, false],
    redirect: [307, false],
    html: [200, false],
    empty: [200, false],
    'null-tokens': [200, false],
    huge: [200, false],
    hang: [undefined, false],
    reset: [undefined, false],
    lost: [undefined, true],
  };

  it.each(Object.entries(OUTCOMES))('replies to a refresh as %s says', async (name, outcome) => {
    const { access_token, refresh_token } = upstream.tokens();
    // The keys of a record lose their type in the table.
    upstream.scriptToken(name as TokenBehaviourName);

    const reply = await refresh(refresh_token);

    const hasIssued = upstream.tokens().access_token !== access_token;
    expect([reply?.status, hasIssued]).toEqual(outcome);
    expect(upstream.refreshes).toEqual([{ behaviour: name, hasIssued }]);
  });

  it.each(['keeps-refresh-token', 'access-token-only'] as const)(
    'accepts the refresh token again after %s',
    async (name) => {
      const { refresh_token } = upstream.tokens();
      upstream.scriptToken(name);

      const first = await refresh(refresh_token);
      const second = await refresh(refresh_token);

      expect(read(first?.bytes).refresh_token).toBeUndefined();
      expect(second?.status).toBe(200);
    },
  );

  it('has only the behaviours in this table', () => {
    expect(Object.keys(OUTCOMES)).toEqual([...TOKEN_BEHAVIOURS.keys()]);
  });
});
