import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../../../../lib/net/http-client.ts';
import { createTokenRefresh } from '../../../../lib/providers/credentials/token-refresh.ts';
import { refusingPort } from '../../net/origin.ts';
import { createHandClock } from './hand-clock.ts';
import { type Reply, startTokenServer, type TokenServer } from './token-server.ts';

const REFUSED = { code: 'provider_authentication', retryable: false, details: {} };
const FAILED = { code: 'upstream', retryable: true, details: {} };
const SECRET = 'refresh-secret';

let server: TokenServer;
let httpClient: HttpClient;
let hand: ReturnType<typeof createHandClock>;

beforeEach(async () => {
  server = await startTokenServer();
  server.accept(SECRET);
  httpClient = createHttpClient();
  hand = createHandClock();
});
afterEach(async () => {
  await httpClient.close();
  await server.close();
});

function refresh(tokenEndpoint = server.url) {
  return createTokenRefresh({ tokenEndpoint, httpClient, clock: hand.clock }).refresh(SECRET);
}

function replying(status: number, body: string | object, headers = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => void response.writeHead(status, headers).end(text);
}

describe('createTokenRefresh', () => {
  it('exchanges a refresh token for new tokens', async () => {
    const fresh = await refresh();

    const [{ access_token, refresh_token, id_token } = server.granted[0]!] = server.granted;
    expect(fresh).toEqual({
      accessToken: access_token,
      refreshToken: refresh_token,
      idToken: id_token,
    });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(server.asked[0]?.body).toEqual({
      client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
      grant_type: 'refresh_token',
      refresh_token: SECRET,
    });
  });

  it.each([{}, { refresh_token: null, id_token: null }])(
    'accepts a reply that only has an access token beside %j',
    async (more) => {
      server.setReply(replying(200, { access_token: 'a', ...more }));

      expect(await refresh()).toEqual({
        accessToken: 'a',
        refreshToken: undefined,
        idToken: undefined,
      });
    },
  );

  it.each<[number, string | object]>([
    [400, { error: { code: 'refresh_token_expired' } }],
    [400, { error: { code: 'refresh_token_reused', message: 'x' } }],
    [400, { error: { code: 'refresh_token_invalidated', type: 'invalid_request_error' } }],
    [400, { error: 'invalid_grant', error_description: 'x' }],
    [400, { error: { type: 'invalid_grant' } }],
    [400, { code: 'invalid_grant' }],
    [401, { error: { code: 'refresh_token_expired' } }],
    [401, { error: { code: 'an_unknown_code' } }],
    [401, 'no JSON at all'],
  ])('reports a rejected login for %i %j', async (status, body) => {
    server.setReply(replying(status, body));

    await expect(refresh()).rejects.toMatchObject(REFUSED);
  });

  it.each<[number, string | object]>([
    [400, { error: { code: 'invalid_request' } }],
    [400, { error: ['invalid_grant'] }],
    [400, ['invalid_grant']],
    [400, 'invalid_grant'],
    [400, ''],
    [403, { error: 'invalid_grant' }],
    [404, ''],
    [429, ''],
    [500, { error: 'invalid_grant' }],
    [503, 'busy'],
    [204, ''],
    [200, ''],
    [200, '<html>'],
    [200, 'null'],
    [200, '[]'],
    [200, {}],
    [200, { refresh_token: 'r' }],
    [200, { access_token: '' }],
    [200, { access_token: 5 }],
    [200, { access_token: 'a\nb' }],
    [200, { access_token: 'a', refresh_token: 'r\0' }],
    [200, { access_token: 'a', refresh_token: {} }],
    [200, `{"__proto__":{"access_token":"a"}}`],
    [200, { access_token: 'a', padding: 'x'.repeat(262_144) }],
  ])('reports a transient failure for %i %.60j', async (status, body) => {
    server.setReply(replying(status, body));

    await expect(refresh()).rejects.toMatchObject(FAILED);
  });

  it('does not follow a redirect', async () => {
    server.setReply(replying(307, '', { location: server.url }));

    await expect(refresh()).rejects.toMatchObject(FAILED);
    expect(server.asked).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['without a word', (response) => void response.destroy()],
    [
      'in the middle of its reply',
      (response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"access_token":', () => response.destroy());
      },
    ],
  ])('reports a transient failure if the endpoint hangs up %s', async (_what, reply) => {
    server.setReply(reply);

    await expect(refresh()).rejects.toMatchObject(FAILED);
    expect(server.asked).toHaveLength(1);
  });

  it('reports a transient failure if no server listens', async () => {
    const url = `http://127.0.0.1:${await refusingPort()}/`;

    await expect(refresh(url)).rejects.toMatchObject(FAILED);
  });

  it.each<[string, Reply]>([
    ['never replies', () => undefined],
    ['never ends its reply', (response) => void response.write('{')],
  ])('stops waiting after half a minute for an endpoint that %s', async (_what, reply) => {
    server.setReply(reply);

    const work = refresh();
    const ended = expect(work).rejects.toMatchObject(FAILED);
    while (server.asked.length === 0) await turn();
    hand.advance(29_999);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    hand.advance(1);

    await ended;
  });

  it.each([
    [401, `{"error":{"code":"refresh_token_reused","message":"${SECRET}"}}`],
    [500, SECRET],
    [200, SECRET],
  ])('shows no request or response in the error for %i', async (status, body) => {
    server.setReply(replying(status, body));

    const failure = await refresh().catch((error: unknown) => error);

    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(SECRET);
  });
});
