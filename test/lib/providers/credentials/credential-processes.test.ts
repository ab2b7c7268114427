import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT, loginOf, temporaryHome, tokensOf } from './logins.ts';
import { startTokenServer, type TokenServer } from './token-server.ts';

// The long run sets LOGIN_KILLS=200.
const KILLS = Number(process.env['LOGIN_KILLS'] ?? 10);
// Long enough for several renewals.
const LONGEST_LIFE_MS = 40;

const PROGRAM = fileURLToPath(new URL('credential-caller.mjs', import.meta.url));

const home = temporaryHome();
let server: TokenServer;

afterEach(() => server.close());

interface Caller {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string, undefined>;
}

function startCaller(...calls: readonly string[]): Caller {
  const child = spawn(process.execPath, [PROGRAM, home.path(), server.url, ...calls], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, lines };
}

async function rest({ lines }: Caller): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const { value, done } = await lines.next();
    if (done) return all;
    all.push(value);
  }
}

describe('two processes', () => {
  it('renew an expired login once for fifty calls', async () => {
    server = await startTokenServer();
    const expired = tokensOf(1, -1);
    home.write(loginOf(expired));
    server.accept(expired.refresh_token);
    const release = server.hold();
    const callers = [startCaller('25'), startCaller('25')];
    for (const { lines } of callers) expect((await lines.next()).value).toBe('ready');

    for (const { child } of callers) child.stdin.write('go\n');
    for (const { lines } of callers) expect((await lines.next()).value).toBe('under way');
    release();
    const tokens = (await Promise.all(callers.map(rest))).flat();

    expect(server.asked).toHaveLength(1);
    expect(tokens).toEqual(Array(50).fill(server.granted[0]?.access_token));
    expect(readdirSync(home.path())).toEqual(['auth.json']);
  });
});

describe('a process', () => {
  it(
    `killed ${KILLS} times at random moments leaves a complete login that is never older than one it returned`,
    async () => {
      // Every call renews the login because the tokens always expire within five minutes.
      server = await startTokenServer(60);
      const first = tokensOf(1, 60);
      home.write({ ...loginOf(first), unknown: { kept: [1] } });
      server.accept(first.refresh_token);

      for (let kill = 0; kill < KILLS; kill += 1) {
        const caller = startCaller();
        const ended = once(caller.child, 'exit');
        await caller.lines.next();
        // The kill must come at a random moment, independent of the program's progress.
        await wait(randomInt(LONGEST_LIFE_MS));
        caller.child.kill('SIGKILL');
        const given = await rest(caller);
        const [, signal] = await ended;

        const { tokens, ...others } = home.read();
        const all = [first, ...server.granted];
        const turn = all.findIndex(({ refresh_token }) => refresh_token === tokens.refresh_token);
        const lastGiven = all.findIndex(({ access_token }) => access_token === given.at(-1));
        expect(signal).toBe('SIGKILL');
        expect(tokens).toEqual({ ...all[turn], account_id: ACCOUNT });
        expect(others).toMatchObject({ auth_mode: 'chatgpt', unknown: { kept: [1] } });
        expect(turn).toBeGreaterThanOrEqual(lastGiven);
        expect(statSync(home.file()).mode & 0o777).toBe(0o600);
        expect(readdirSync(home.path()).filter(isForeign)).toEqual([]);

        // The last reply may have been lost with the process, as after a power failure.
        server.accept(tokens.refresh_token);
        // Otherwise the next process would wait ten seconds, which is correct but slow.
        rmSync(join(home.path(), '.image-bridge-auth.lock'), { force: true });
      }
      expect(server.granted.length).toBeGreaterThan(KILLS);
    },
    30_000 + KILLS * 3_000,
  );
});

function isForeign(name: string): boolean {
  return !/^(auth\.json|\.image-bridge-auth\.lock|\.image-bridge-auth\.[0-9a-f]{32}\.tmp)$/.test(
    name,
  );
}
