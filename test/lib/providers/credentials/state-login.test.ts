import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../../lib/config/resolve-config.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createHttpClient, type HttpClient } from '../../../../lib/net/http-client.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import type { CredentialSource } from '../../../../lib/providers/credentials/credential-source.ts';
import type { LoginStore } from '../../../../lib/providers/credentials/login-store-port.ts';
import { openStateLogin } from '../../../../lib/providers/credentials/open-state-login.ts';
import { createLoginStore } from '../../../../lib/storage/postgres/login-store.ts';
import { NO_WAKE_UPS } from '../../../support/no-wake-ups.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openReplicas } from '../../../support/postgres-replicas.ts';
import { loginOf, temporaryHome, tokensOf } from './logins.ts';
import { startTokenServer, type TokenServer } from './token-server.ts';

const REFUSED = { code: 'provider_authentication', retryable: false };
const KEY = Buffer.alloc(32, 7).toString('base64');
const FRESH = tokensOf(1);
const EXPIRED = tokensOf(2, -1);
const OTHER = tokensOf(4);
const { signal } = new AbortController();
const DEFAULTS = defaults();
const ids = createIds(systemClock.nowMs);
const home = temporaryHome();
const emptyHome = temporaryHome();

function defaults() {
  const loaded = resolveConfig([]);
  if (!loaded.ok) throw new Error('the defaults are invalid');
  return loaded.config;
}

describe.runIf(HAS_POSTGRES)('the login in the database', () => {
  let opened: Awaited<ReturnType<typeof openReplicas>>;
  let server: TokenServer;
  let httpClient: HttpClient;
  let sources: CredentialSource[];

  beforeAll(async () => {
    opened = await openReplicas();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await opened.reset('login');
    server = await startTokenServer();
    httpClient = createHttpClient();
    sources = [];
  });
  afterEach(async () => {
    for (const source of sources) await source.close();
    await httpClient.close();
    await server.close();
  });

  const [FIRST, SECOND] = [0, 1] as const;

  function storeOf(nth: 0 | 1): LoginStore {
    const postgres = opened.replicas[nth].postgres;
    return createLoginStore({ postgres, clock: systemClock, wakeUps: NO_WAKE_UPS, pollMs: 20 });
  }

  /** Opens the login at a replica. Only the first replica has the login file. */
  async function openAt(nth: 0 | 1, { key = KEY, store = storeOf(nth) } = {}) {
    const { state, providers } = DEFAULTS;
    const agent = {
      ...providers.agent_responses,
      ...({ credentials: 'state', token_endpoint: server.url } as const),
      home: nth === FIRST ? home.path() : emptyHome.path(),
    };
    const config = {
      state: { ...state, seal_key_env: 'SEAL_KEY' },
      providers: { ...providers, agent_responses: agent },
    };
    const outside = { store, env: { SEAL_KEY: key }, httpClient, clock: systemClock, ids };
    const source = await openStateLogin(config, outside);
    if (!source) throw new Error('the login is not in the database');
    sources.push(source);
    return source;
  }

  function logIn(tokens: ReturnType<typeof tokensOf>): void {
    home.write(loginOf(tokens));
    server.accept(tokens.refresh_token);
  }

  const tokenAt = async (source: CredentialSource) => (await source.current(signal)).accessToken;

  async function openBoth(tokens: ReturnType<typeof tokensOf>) {
    logIn(tokens);
    return [await openAt(FIRST), await openAt(SECOND)] as const;
  }

  function run<Row>(sql: (schema: string) => string): Promise<readonly Row[]> {
    const { schema, write } = opened.replicas[FIRST].postgres;
    return write(({ rows }) => rows<Row>(sql(schema)));
  }

  const endRights = () => run((schema) => `UPDATE ${schema}.login SET held_until = 0`);

  it('is imported once, encrypted, and every replica uses it', async () => {
    const [one, two] = await openBoth(FRESH);
    home.write(loginOf(OTHER));

    expect([await tokenAt(one), await tokenAt(two)]).toEqual(Array(2).fill(FRESH.access_token));
    const [row] = await run<{ sealed: Buffer }>((schema) => `SELECT sealed FROM ${schema}.login`);
    expect(row?.sealed.includes('refresh-1')).toBe(false);
    expect(server.asked).toEqual([]);
  });

  it('is renewed by one of the replicas, and its refresh token is used once', async () => {
    const [one, two] = await openBoth(EXPIRED);

    const tokens = await Promise.all([one, two, one, two].map(tokenAt));

    expect(server.asked).toHaveLength(1);
    expect(tokens).toEqual(Array(4).fill(server.granted[0]?.access_token));
  });

  it('is renewed again with the refresh token of the other replica', async () => {
    const [one, two] = await openBoth(EXPIRED);
    const first = await one.current(signal);
    const second = await two.refreshAfter(first, signal);
    const third = await one.refreshAfter(second, signal);

    expect(server.granted.map(({ access_token }) => access_token)).toEqual(
      [first, second, third].map(({ accessToken }) => accessToken),
    );
  });

  it('leaves no transaction open while the token endpoint is asked', async () => {
    const [one] = await openBoth(EXPIRED);
    const release = server.hold();
    const renewed = tokenAt(one);
    await expect.poll(() => server.asked.length).toBe(1);

    const open = await run(
      () => `SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state LIKE 'idle in%'
        AND datname = current_database() AND query LIKE '%login%'`,
    );
    release();

    expect(open).toEqual([]);
    expect(await renewed).toBe(server.granted[0]?.access_token);
  });

  it('is unusable if a replica was killed between the renewal and the write, until the user logs in again', async () => {
    logIn(EXPIRED);
    const killed = await openAt(FIRST, { store: { ...storeOf(FIRST), finish: async () => {} } });
    const two = await openAt(SECOND);
    await tokenAt(killed);
    await endRights();

    await expect(tokenAt(two)).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('its result was not stored'),
    });
    expect(await two.probe()).toBe(false);
    expect(server.asked).toHaveLength(1);
    logIn(OTHER);
    await openAt(FIRST);
    expect(await tokenAt(two)).toBe(OTHER.access_token);
  });

  it('is not imported again from the file whose refresh token was used', async () => {
    logIn(EXPIRED);
    const killed = await openAt(FIRST, { store: { ...storeOf(FIRST), finish: async () => {} } });
    await tokenAt(killed);
    await endRights();

    await expect(tokenAt(await openAt(FIRST))).rejects.toMatchObject(REFUSED);
    expect(server.asked).toHaveLength(1);
  });

  it('is refused for every replica after the token endpoint has rejected it once', async () => {
    const [one, two] = await openBoth(EXPIRED);
    server.accept('another token');

    await expect(tokenAt(one)).rejects.toMatchObject(REFUSED);
    await expect(tokenAt(two)).rejects.toMatchObject(REFUSED);
    expect(server.asked).toHaveLength(1);
  });

  it('is renewed later if the token endpoint fails', async () => {
    const [one, two] = await openBoth(EXPIRED);
    server.setReply((response) => void response.writeHead(503).end());
    await expect(tokenAt(one)).rejects.toMatchObject({ code: 'upstream', retryable: true });
    server.setReply(undefined);

    expect(await tokenAt(two)).toBe(server.granted[0]?.access_token);
  });

  it('is used from memory while the database is unavailable', async () => {
    logIn(FRESH);
    let isAway = false;
    const inner = storeOf(FIRST);
    const find = async () => {
      if (isAway) throw new BridgeError('overloaded', 'no database');
      return inner.find();
    };
    const one = await openAt(FIRST, { store: { ...inner, find } });
    isAway = true;

    expect(await tokenAt(one)).toBe(FRESH.access_token);
  });

  it('is refused at the start with another key', async () => {
    logIn(FRESH);
    await openAt(FIRST);
    const other = Buffer.alloc(32, 8).toString('base64');

    await expect(openAt(SECOND, { key: other })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/^state\.seal_key_env: the key does not open the login/),
    });
  });

  it('may be absent at the start, and is then reported by every call', async () => {
    await expect(tokenAt(await openAt(SECOND))).rejects.toMatchObject(REFUSED);
  });
});
