import { setMaxListeners } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../../../../lib/net/http-client.ts';
import { type Clock, systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import {
  type CredentialSource,
  createCredentialSource,
} from '../../../../lib/providers/credentials/credential-source.ts';
import { createCredentials } from '../../../../lib/providers/credentials/credentials.ts';
import { createHandClock } from './hand-clock.ts';
import { ACCOUNT, loginOf, temporaryHome, tokensOf } from './logins.ts';
import { startTokenServer, type TokenServer } from './token-server.ts';

const REFUSED = { code: 'provider_authentication', retryable: false };
const FAILED = { code: 'upstream', retryable: true, details: {} };
const FRESH = tokensOf(1);
const EXPIRED = tokensOf(2, -1);
/** Not expired yet, but expires within five minutes. */
const EXPIRING = tokensOf(3, 240);
const OTHER = tokensOf(4);

const ids = createIds(systemClock.nowMs);
const home = temporaryHome();

let server: TokenServer;
let httpClient: HttpClient;
let source: CredentialSource;
let signal: AbortSignal;

beforeEach(async () => {
  server = await startTokenServer();
  httpClient = createHttpClient();
  source = sourceWith(systemClock);
  ({ signal } = new AbortController());
  setMaxListeners(0, signal);
});
afterEach(async () => {
  await source.close();
  await httpClient.close();
  await server.close();
});

function sourceWith(clock: Clock): CredentialSource {
  return createCredentialSource({
    home: home.path(),
    tokenEndpoint: server.url,
    httpClient,
    clock,
    ids,
  });
}

function logIn(tokens: ReturnType<typeof tokensOf>): void {
  home.write(loginOf(tokens));
  server.accept(tokens.refresh_token);
}

function failing(status: number, body = ''): void {
  server.setReply((response) => void response.writeHead(status).end(body));
}

async function asked(calls = 1): Promise<void> {
  while (server.asked.length < calls) await turn();
}

/** Returns the names of all other files in the folder of the login. */
function leftovers(): string[] {
  return readdirSync(home.path()).filter((name) => name !== 'auth.json');
}

describe('current', () => {
  it('returns a login that is valid long enough without a request', async () => {
    logIn(FRESH);

    const credentials = await source.current(signal);

    expect(credentials.accessToken).toBe(FRESH.access_token);
    expect(credentials.accountId).toBe(ACCOUNT);
    expect(server.asked).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['has expired', EXPIRED],
    ['expires within five minutes', EXPIRING],
  ])('renews a login that %s and writes it to the file', async (_what, tokens) => {
    logIn(tokens);

    const credentials = await source.current(signal);

    const [granted] = server.granted;
    expect(credentials.accessToken).toBe(granted?.access_token);
    expect(home.read()).toEqual({
      ...loginOf({ ...granted }),
      last_refresh: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(home.read()['last_refresh']).not.toBe(loginOf({})['last_refresh']);
    expect(leftovers()).toEqual([]);
  });

  it('renews a login shortly before it expires', async () => {
    logIn(FRESH);
    let aheadMs = 0;
    const moving = sourceWith({ ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs });

    aheadMs = 54 * 60_000;
    const before = await moving.current(signal);
    aheadMs = 56 * 60_000;
    const after = await moving.current(signal);

    expect(before.accessToken).toBe(FRESH.access_token);
    expect(after.accessToken).toBe(server.granted[0]?.access_token);
  });

  it('never renews a login early if its expiry is unknown', async () => {
    logIn({ ...FRESH, access_token: 'opaque' });

    expect((await source.current(signal)).accessToken).toBe('opaque');
    expect(server.asked).toEqual([]);
  });

  it('writes a file that only the owner can access, regardless of its previous mode', async () => {
    logIn(EXPIRED);
    chmodSync(home.file(), 0o644);

    await source.current(signal);

    expect(statSync(home.file()).mode & 0o777).toBe(0o600);
  });

  it('keeps unknown members of the file as they were at the time of writing', async () => {
    logIn(EXPIRED);
    const release = server.hold();
    const work = source.current(signal);
    await asked();

    home.write({ ...loginOf({ ...EXPIRED, note: [1] }), agent: { id: 'x' } });
    release();
    await work;

    expect(home.read()).toMatchObject({
      agent: { id: 'x' },
      tokens: { ...server.granted[0], note: [1] },
    });
  });

  it('keeps the old refresh token if the reply has none', async () => {
    logIn(EXPIRED);
    const { access_token } = OTHER;
    server.setReply((response) => void response.end(JSON.stringify({ access_token })));

    await source.current(signal);

    expect(home.read().tokens).toEqual({ ...EXPIRED, access_token, account_id: ACCOUNT });
  });

  it('renews once for fifty simultaneous calls', async () => {
    logIn(EXPIRED);

    const all = await Promise.all(Array.from({ length: 50 }, () => source.current(signal)));

    expect(server.asked).toHaveLength(1);
    expect(new Set(all.map(({ accessToken }) => accessToken))).toEqual(
      new Set([server.granted[0]?.access_token]),
    );
  });

  it('continues a renewal for other callers if one caller aborts', async () => {
    logIn(EXPIRED);
    const release = server.hold();
    const caller = new AbortController();
    const reason = new Error('disconnected');

    const aborted = source.current(caller.signal);
    const stayed = source.current(signal);
    await asked();
    caller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    release();

    expect((await stayed).accessToken).toBe(server.granted[0]?.access_token);
  });

  it('writes new tokens to the file even if no caller waits any more', async () => {
    logIn(EXPIRED);
    const release = server.hold();
    const caller = new AbortController();

    const aborted = source.current(caller.signal);
    await asked();
    caller.abort(new Error('disconnected'));
    await expect(aborted).rejects.toThrow('disconnected');
    release();
    await source.close();

    expect(home.read().tokens).toMatchObject({ ...server.granted[0] });
    expect(leftovers()).toEqual([]);
  });

  it('uses the login that another process wrote during the wait for the lock', async () => {
    logIn(EXPIRED);
    const lock = join(home.path(), '.image-bridge-auth.lock');
    writeFileSync(lock, '');

    const work = source.current(signal);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    home.write(loginOf(OTHER));

    expect((await work).accessToken).toBe(OTHER.access_token);
    expect(server.asked).toEqual([]);
    expect(leftovers()).toEqual(['.image-bridge-auth.lock']);
  });

  it('throws after a minute if another process keeps the lock', async () => {
    logIn(EXPIRED);
    const lock = join(home.path(), '.image-bridge-auth.lock');
    writeFileSync(lock, '');
    const hand = createHandClock();
    const renewing: Clock = {
      ...hand.clock,
      after(delayMs, run) {
        const secs = hand.clock.nowMs() / 1000;
        utimesSync(lock, secs, secs);
        return hand.clock.after(delayMs, run);
      },
    };

    await expect(hand.until(sourceWith(renewing).current(signal))).rejects.toMatchObject(FAILED);
    expect(server.asked).toEqual([]);
  });

  it('takes over the lock of a killed process', async () => {
    logIn(EXPIRED);
    const lock = join(home.path(), '.image-bridge-auth.lock');
    writeFileSync(lock, '');
    const hand = createHandClock();

    const work = sourceWith(hand.clock).current(signal);
    for (let waits = 0; waits < 100; waits += 1) {
      await hand.waited();
      hand.advance(100);
    }
    const credentials = await work;

    expect(credentials.accessToken).toBe(server.granted[0]?.access_token);
    expect(leftovers()).toEqual([]);
  });

  it('deletes only files that a killed process has left behind', async () => {
    logIn(EXPIRED);
    const old = `.image-bridge-auth.${'a'.repeat(32)}.tmp`;
    const young = `.image-bridge-auth.${'b'.repeat(32)}.tmp`;
    const theirs = ['.auth-1x2y3z', 'auth.json.lock', 'image-bridge-auth.tmp'];
    for (const name of [old, young, ...theirs]) writeFileSync(join(home.path(), name), '');
    utimesSync(join(home.path(), old), 1, 1);

    await source.current(signal);

    expect(leftovers().sort()).toEqual([young, ...theirs].sort());
  });
});

describe('refreshAfter', () => {
  it('renews a login that the backend has rejected', async () => {
    logIn(FRESH);
    const rejected = await source.current(signal);

    const credentials = await source.refreshAfter(rejected, signal);

    expect(credentials.accessToken).toBe(server.granted[0]?.access_token);
    expect(await source.current(signal)).toMatchObject({ accessToken: credentials.accessToken });
    expect(server.asked).toHaveLength(1);
  });

  it('uses the login that another process wrote meanwhile', async () => {
    logIn(FRESH);
    const rejected = await source.current(signal);
    home.write(loginOf(OTHER));

    const credentials = await source.refreshAfter(rejected, signal);

    expect(credentials.accessToken).toBe(OTHER.access_token);
    expect(server.asked).toEqual([]);
  });

  it('renews once for fifty rejected calls, early and late', async () => {
    logIn(FRESH);
    const rejected = await source.current(signal);

    const early = await Promise.all(
      Array.from({ length: 49 }, () => source.refreshAfter(rejected, signal)),
    );
    const late = await source.refreshAfter(rejected, signal);

    expect(server.asked).toHaveLength(1);
    for (const { accessToken } of [...early, late]) {
      expect(accessToken).toBe(server.granted[0]?.access_token);
    }
  });

  it('joins the renewal of calls whose login is about to expire', async () => {
    logIn(EXPIRING);
    const rejected = createCredentials({
      accessToken: EXPIRING.access_token,
      accountId: undefined,
      planType: undefined,
      expiresAtMs: undefined,
    });

    await Promise.all([source.current(signal), source.refreshAfter(rejected, signal)]);

    expect(server.asked).toHaveLength(1);
  });

  it('does not return the rejected login again if the endpoint fails', async () => {
    logIn(FRESH);
    const rejected = await source.current(signal);
    failing(503);

    await expect(source.refreshAfter(rejected, signal)).rejects.toMatchObject(FAILED);
  });
});

describe('a refusal of the token endpoint', () => {
  it('is an authentication error and is remembered until the file changes', async () => {
    logIn(EXPIRED);
    server.accept('another');

    for (let call = 0; call < 5; call += 1) {
      await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
    }

    expect(server.asked).toHaveLength(1);
    expect(home.read()).toEqual(loginOf(EXPIRED));
    expect(leftovers()).toEqual([]);
  });

  it('is also remembered for a token that has not expired', async () => {
    logIn(EXPIRING);
    server.accept('another');

    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
    expect(server.asked).toHaveLength(1);
  });

  it('is remembered after a 401 of the backend', async () => {
    logIn(FRESH);
    server.accept('another');
    const rejected = await source.current(signal);

    await expect(source.refreshAfter(rejected, signal)).rejects.toMatchObject(REFUSED);
    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
    await expect(source.refreshAfter(rejected, signal)).rejects.toMatchObject(REFUSED);
    expect(server.asked).toHaveLength(1);
  });

  it('is forgotten after the file changes', async () => {
    logIn(EXPIRED);
    server.accept('another');
    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);

    logIn(OTHER);

    expect((await source.current(signal)).accessToken).toBe(OTHER.access_token);
  });

  it('is ignored if another program has used the token and written new tokens', async () => {
    logIn(EXPIRED);
    server.setReply((response) => {
      home.write(loginOf(OTHER));
      response.writeHead(401).end('{"error":{"code":"refresh_token_reused"}}');
    });

    expect((await source.current(signal)).accessToken).toBe(OTHER.access_token);
  });

  it('is reported without a request for a login that has no refresh token', async () => {
    const { refresh_token: _none, ...tokens } = EXPIRED;
    home.write(loginOf(tokens));

    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
    expect(server.asked).toEqual([]);
  });
});

describe('another failure of the token endpoint', () => {
  it('is a retryable upstream error for an expired login and is not remembered', async () => {
    logIn(EXPIRED);
    failing(500);

    await expect(source.current(signal)).rejects.toMatchObject(FAILED);
    server.setReply(undefined);

    expect((await source.current(signal)).accessToken).toBe(server.granted[0]?.access_token);
  });

  it('happens once for fifty simultaneous calls', async () => {
    logIn(EXPIRED);
    failing(503);

    const calls = Array.from({ length: 50 }, () => source.current(signal));
    const ended = await Promise.allSettled(calls);

    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(server.asked).toHaveLength(1);
  });

  it.each([500, 429, 302, 200])(
    'does not stop the use of a login that has not expired (%i)',
    async (status) => {
      logIn(EXPIRING);
      failing(status);

      expect((await source.current(signal)).accessToken).toBe(EXPIRING.access_token);
      expect(server.asked).toHaveLength(1);
      expect(leftovers()).toEqual([]);
    },
  );

  it('delays a call only briefly while its login has not expired', async () => {
    logIn(EXPIRING);
    const hand = createHandClock();
    const waiting = sourceWith(hand.clock);
    const release = server.hold();

    const early = waiting.current(signal);
    await asked();
    hand.advance(5000);
    const credentials = await early;
    release();
    await waiting.close();

    expect(credentials.accessToken).toBe(EXPIRING.access_token);
    expect((await waiting.current(signal)).accessToken).toBe(server.granted[0]?.access_token);
    expect(server.asked).toHaveLength(1);
  });
});

describe('a login that changes while it is being renewed', () => {
  async function renewWhile(change: () => void) {
    logIn(EXPIRED);
    const release = server.hold();
    const work = source.current(signal);
    await asked();
    change();
    release();
    return work;
  }

  it('is not overwritten', async () => {
    const credentials = await renewWhile(() => home.write(loginOf(OTHER)));

    expect(credentials.accessToken).toBe(OTHER.access_token);
    expect(home.read()).toEqual(loginOf(OTHER));
    expect(leftovers()).toEqual([]);
  });

  it('is not restored after a logout', async () => {
    const credentials = await renewWhile(() => rmSync(home.file()));

    expect(credentials.accessToken).toBe(server.granted[0]?.access_token);
    expect(readdirSync(home.path())).toEqual([]);
    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
  });

  it('is completed if another program has written half of it', async () => {
    await renewWhile(() => home.write(JSON.stringify(loginOf(EXPIRED)).slice(0, 50)));

    expect(home.read().tokens).toEqual({ ...server.granted[0], account_id: ACCOUNT });
  });

  it('is used from memory if the file can no longer be written', async () => {
    const credentials = await renewWhile(() => {
      // From now on the finished replacement cannot be renamed.
      for (const name of readdirSync(home.path())) {
        if (name.endsWith('.tmp')) rmSync(join(home.path(), name));
      }
    });

    const again = await source.current(signal);

    expect(credentials.accessToken).toBe(server.granted[0]?.access_token);
    expect(again.accessToken).toBe(credentials.accessToken);
    expect(home.read()).toEqual(loginOf(EXPIRED));
    expect(server.asked).toHaveLength(1);
  });
});

describe('a folder that is not writable', () => {
  // The superuser can write everywhere, but no user can create a file whose name is taken by a folder.
  const block = () => mkdirSync(join(home.path(), '.image-bridge-auth.lock'));

  it('prevents a request for tokens that could not be stored', async () => {
    logIn(EXPIRED);
    block();

    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
    expect(server.asked).toEqual([]);
  });

  it('does not stop the use of a login that has not expired', async () => {
    logIn(EXPIRING);
    block();

    expect((await source.current(signal)).accessToken).toBe(EXPIRING.access_token);
  });
});

describe('an unusable file', () => {
  it('is an authentication error', async () => {
    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);
  });

  it('is used as soon as it becomes usable', async () => {
    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);

    logIn(FRESH);

    expect((await source.current(signal)).accessToken).toBe(FRESH.access_token);
  });
});

describe('probe', () => {
  it.each([
    ['a login', FRESH, true],
    ['a login that must be renewed', EXPIRED, true],
    ['an expired login that cannot be renewed', { access_token: EXPIRED.access_token }, false],
    ['a login that cannot be renewed but is valid', { access_token: FRESH.access_token }, true],
  ])('evaluates %s without a request', async (_what, tokens, expected) => {
    home.write(loginOf(tokens));

    expect(await source.probe()).toBe(expected);
    expect(server.asked).toEqual([]);
  });

  it('returns false without a usable file', async () => {
    const missing = await source.probe();
    home.write('[]');

    expect([missing, await source.probe()]).toEqual([false, false]);
  });

  it('returns false after a refusal until the file changes', async () => {
    logIn(EXPIRED);
    server.accept('another');
    await expect(source.current(signal)).rejects.toMatchObject(REFUSED);

    const after = await source.probe();
    const elsewhere = join(home.path(), 'elsewhere');
    writeFileSync(elsewhere, JSON.stringify(loginOf(OTHER)), { mode: 0o600 });
    renameSync(elsewhere, home.file());

    expect([after, await source.probe()]).toEqual([false, true]);
  });
});

describe('close', () => {
  it('prevents any further request', async () => {
    logIn(EXPIRED);

    await source.close();

    await expect(source.current(signal)).rejects.toMatchObject(FAILED);
    expect(server.asked).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  it('ends a wait for the lock', async () => {
    logIn(EXPIRED);
    writeFileSync(join(home.path(), '.image-bridge-auth.lock'), '');

    const work = expect(source.current(signal)).rejects.toMatchObject(FAILED);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    await source.close();

    await work;
  });
});

describe('no failure', () => {
  it('contains a token, an account or the path', async () => {
    const failures: unknown[] = [];
    const fail = (work: Promise<unknown>) => work.catch((error: unknown) => failures.push(error));
    await fail(source.current(signal));
    logIn(EXPIRED);
    failing(500, `${EXPIRED.refresh_token} ${ACCOUNT}`);
    await fail(source.current(signal));
    server.setReply((response) => void response.destroy());
    await fail(source.current(signal));
    failing(401, `${EXPIRED.refresh_token} ${ACCOUNT}`);
    await fail(source.current(signal));
    home.write(`${JSON.stringify(loginOf(EXPIRED))},`);
    await fail(source.current(signal));
    logIn(EXPIRED);
    mkdirSync(join(home.path(), '.image-bridge-auth.lock'));
    await fail(source.current(signal));

    expect(failures).toHaveLength(6);
    for (const failure of failures) {
      const shown = inspect(failure, { depth: 9, showHidden: true }).replace(/^ +at .*$/gm, '');
      expect(shown).not.toMatch(/image-bridge-login|auth\.json|\.lock|refresh-\d|eyJ|acc-4f1d/);
    }
  });
});
