import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../../../../lib/net/http-client.ts';
import { createTokenRefresh } from '../../../../lib/providers/credentials/token-refresh.ts';
import { refusingPort } from '../../net/origin.ts';
import { createHandClock } from './hand-clock.ts';
import { type Answer, startTokenServer, type TokenServer } from './token-server.ts';

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

function exchange(tokenEndpoint = server.url) {
  return createTokenRefresh({ tokenEndpoint, httpClient, clock: hand.clock }).exchange(SECRET);
}

function saying(status: number, body: string | object, headers = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => void response.writeHead(status, headers).end(text);
}

describe('createTokenRefresh', () => {
  it('exchanges a refresh token for new tokens', async () => {
    const fresh = await exchange();

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
    'takes an answer that only has an access token beside %j',
    async (more) => {
      server.answer(saying(200, { access_token: 'a', ...more }));

      expect(await exchange()).toEqual({
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
    [401, { error: { code: 'a_code_that_nobody_knows' } }],
    [401, 'no JSON at all'],
  ])('says that the login is refused by %i %j', async (status, body) => {
    server.answer(saying(status, body));

    await expect(exchange()).rejects.toMatchObject(REFUSED);
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
  ])('says that it failed in passing by %i %.60j', async (status, body) => {
    server.answer(saying(status, body));

    await expect(exchange()).rejects.toMatchObject(FAILED);
  });

  it('does not follow a redirect', async () => {
    server.answer(saying(307, '', { location: server.url }));

    await expect(exchange()).rejects.toMatchObject(FAILED);
    expect(server.asked).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['without a word', (response) => void response.destroy()],
    [
      'in the middle of its answer',
      (response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"access_token":', () => response.destroy());
      },
    ],
  ])('says that it failed in passing when the endpoint hangs up %s', async (_what, answer) => {
    server.answer(answer);

    await expect(exchange()).rejects.toMatchObject(FAILED);
    expect(server.asked).toHaveLength(1);
  });

  it('says that it failed in passing when nobody is there', async () => {
    const url = `http://127.0.0.1:${await refusingPort()}/`;

    await expect(exchange(url)).rejects.toMatchObject(FAILED);
  });

  it.each<[string, Answer]>([
    ['never answers', () => undefined],
    ['never ends its answer', (response) => void response.write('{')],
  ])('gives up an endpoint that %s after half a minute', async (_what, answer) => {
    server.answer(answer);

    const work = exchange();
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
  ])('tells nothing of what was sent and said when it fails by %i', async (status, body) => {
    server.answer(saying(status, body));

    const failure = await exchange().catch((error: unknown) => error);

    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(SECRET);
  });
});
