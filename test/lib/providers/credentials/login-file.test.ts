import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createLoginFile } from '../../../../lib/providers/credentials/login-file.ts';
import { createHandClock } from './hand-clock.ts';
import { loginOf, temporaryHome, tokensOf } from './logins.ts';

const home = temporaryHome();
const { signal } = new AbortController();
const FIRST = tokensOf(1);
const SECOND = tokensOf(2);
const WHOLE = JSON.stringify(loginOf(FIRST));

let hand: ReturnType<typeof createHandClock>;
let file: ReturnType<typeof createLoginFile>;

beforeEach(() => {
  hand = createHandClock();
  file = createLoginFile({ home: home.path(), clock: hand.clock });
});

function elsewhere(content: string): string {
  const path = join(home.path(), 'elsewhere');
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function nested(open: string, close: string): string {
  return open.repeat(100_000) + close.repeat(100_000);
}

describe('createLoginFile', () => {
  it('reads the login', async () => {
    home.write(loginOf(FIRST));

    const login = await file.read(signal);

    expect(login.credentials.accessToken).toBe(FIRST.access_token);
    expect(login.refreshToken).toBe(FIRST.refresh_token);
  });

  it('reads a login after a byte order mark', async () => {
    home.write(`\ufeff${WHOLE}`);

    expect((await file.read(signal)).refreshToken).toBe(FIRST.refresh_token);
  });

  it('does not read an unchanged file again', async () => {
    home.write(WHOLE);
    hand.advance(1000);

    const first = await file.read(signal);
    const second = await file.read(signal);

    expect(second.document).toBe(first.document);
  });

  it('reads a recently written file again because its next change may have the same time', async () => {
    const now = { ...systemClock, nowMs: () => Date.now() };
    const justNow = createLoginFile({ home: home.path(), clock: now });
    home.write(WHOLE);

    const first = await justNow.read(signal);
    const second = await justNow.read(signal);

    expect(second.document).not.toBe(first.document);
  });

  it.each<[string, () => void]>([
    ['rewritten in place', () => home.write(loginOf(SECOND))],
    ['replaced', () => renameSync(elsewhere(JSON.stringify(loginOf(SECOND))), home.file())],
  ])('reads a login that was %s', async (_what, change) => {
    home.write(WHOLE);
    hand.advance(1000);
    await file.read(signal);

    change();

    expect((await file.read(signal)).refreshToken).toBe(SECOND.refresh_token);
  });

  it('stops using a login that becomes writable by other users', async () => {
    home.write(WHOLE);
    hand.advance(1000);
    await file.read(signal);

    chmodSync(home.file(), 0o666);

    expect(await file.find(signal)).toBe('writable_by_others');
  });

  it('uses the login again once its mode is valid', async () => {
    home.write(WHOLE);
    chmodSync(home.file(), 0o620);
    const before = await file.find(signal);

    chmodSync(home.file(), 0o644);

    expect(before).toBe('writable_by_others');
    expect(await file.find(signal)).toMatchObject({ refreshToken: FIRST.refresh_token });
  });

  it('uses another login until the file changes', async () => {
    home.write(WHOLE);
    const login = await file.read(signal);

    file.override(login.stamp, { ...login, refreshToken: 'other' });
    const before = await file.read(signal);
    home.write(loginOf(SECOND));
    const after = await file.read(signal);

    expect([before.refreshToken, after.refreshToken]).toEqual(['other', SECOND.refresh_token]);
  });
});

describe('an unusable login file', () => {
  const hostile: readonly [string, string, () => void][] = [
    ['that does not exist', 'missing', () => undefined],
    ['in a home that does not exist', 'missing', () => rmSync(home.path(), { recursive: true })],
    ['that is a link', 'irregular', () => symlinkSync(elsewhere(WHOLE), home.file())],
    ['that is a dangling link', 'irregular', () => symlinkSync('/nowhere', home.file())],
    ['that is a folder', 'irregular', () => mkdirSync(home.file())],
    ['that is a pipe', 'irregular', () => void execFileSync('mkfifo', [home.file()])],
    [
      'that its group may write',
      'writable_by_others',
      () => {
        home.write(WHOLE);
        chmodSync(home.file(), 0o660);
      },
    ],
    [
      'that all may write',
      'writable_by_others',
      () => {
        home.write(WHOLE);
        chmodSync(home.file(), 0o602);
      },
    ],
    [
      'of more than 1 MiB',
      'too_large',
      () => home.write({ ...loginOf(FIRST), padding: 'x'.repeat(1_048_576) }),
    ],
    [
      'that is a sparse terabyte',
      'too_large',
      () => {
        home.write('');
        truncateSync(home.file(), 2 ** 40);
      },
    ],
    ['that is empty', 'garbled', () => home.write('')],
    ['that ends early', 'garbled', () => home.write(WHOLE.slice(0, -1))],
    ['that has bytes after its end', 'garbled', () => home.write(`${WHOLE}}`)],
    ['with NUL bytes in it', 'garbled', () => home.write(`${WHOLE}\0\0`)],
    ['of NUL bytes', 'garbled', () => home.write(Buffer.alloc(4096))],
    [
      'that is not UTF-8',
      'garbled',
      () =>
        home.write(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3]), Buffer.from('"}')])),
    ],
    ['in UTF-16', 'garbled', () => home.write(Buffer.from(WHOLE, 'utf16le'))],
    ['of brackets that never close', 'garbled', () => home.write('['.repeat(1_048_576))],
    ['of nested lists', 'no_login', () => home.write(nested('[', ']'))],
    [
      'with nested objects beside the tokens',
      'no_login',
      () =>
        home.write(`${WHOLE.slice(0, -1)},"x":${nested('{"a":', '}').replace('{"a":}', '{}')}}`),
    ],
    ['that contains a list', 'no_login', () => home.write([loginOf(FIRST)])],
    ['that contains null', 'no_login', () => home.write('null')],
    ['for an API key', 'no_login', () => home.write({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk' })],
    ['with its tokens in a prototype', 'no_login', () => home.write(`{"__proto__":${WHOLE}}`)],
  ];

  it.each(hostile)('%s is %s', async (_what, problem, prepare) => {
    prepare();
    hand.advance(1000);

    expect(await hand.until(file.find(signal))).toBe(problem);

    mkdirSync(home.path(), { recursive: true });
  });

  it.each(hostile)(
    '%s is an authentication error without path and content',
    async (_what, _problem, prepare) => {
      prepare();

      const failure = await hand.until(file.read(signal)).catch((error: unknown) => error);

      expect(failure).toMatchObject({
        code: 'provider_authentication',
        retryable: false,
        details: {},
      });
      expect(inspect(failure, { depth: 9 }).replace(/^ +at .*$/gm, '')).not.toMatch(
        /image-bridge-login|auth\.json|refresh-1|eyJ/,
      );
      mkdirSync(home.path(), { recursive: true });
    },
  );

  it.runIf(process.getuid?.() !== 0)('that may not be read is unreadable', async () => {
    home.write(WHOLE);
    chmodSync(home.file(), 0o000);

    expect(await file.find(signal)).toBe('unreadable');
  });
});

describe('a login file that another program rewrites in place', () => {
  it('is read again if it was only half written', async () => {
    home.write(WHOLE.slice(0, 100));

    const reading = file.read(signal);
    await hand.waited();
    home.write(WHOLE);
    hand.advance(10);

    expect((await reading).refreshToken).toBe(FIRST.refresh_token);
  });

  it('is reported as an error after a moment, and at once the next time', async () => {
    home.write(WHOLE.slice(0, 100));
    hand.advance(1000);
    const before = hand.clock.monotonicMs();

    const first = await hand.until(file.find(signal));
    const tookMs = hand.clock.monotonicMs() - before;
    const second = await file.find(signal);

    expect([first, second]).toEqual(['garbled', 'garbled']);
    expect(tookMs).toBeGreaterThanOrEqual(600);
    expect(tookMs).toBeLessThan(2000);
  });

  it('is not awaited any more after the caller aborts', async () => {
    home.write('');
    const controller = new AbortController();
    const reason = new Error('left');

    const reading = file.read(controller.signal);
    await hand.waited();
    controller.abort(reason);

    await expect(reading).rejects.toBe(reason);
  });

  it('is only ever read in one of its complete states', async () => {
    const states = JSON.stringify([FIRST, SECOND].map((tokens) => JSON.stringify(loginOf(tokens))));
    const program = `
      const { writeFileSync } = require('node:fs');
      const states = ${states};
      const pause = new Int32Array(new SharedArrayBuffer(4));
      for (let turn = 0; turn < 150; turn += 1) {
        writeFileSync(process.argv[1], states[turn % 2], { mode: 0o600 });
        if (turn === 0) process.stdout.write('.');
        Atomics.wait(pause, 0, 0, 10);
      }`;
    const real = createLoginFile({ home: home.path(), clock: systemClock });
    const child = spawn(process.execPath, ['-e', program, home.file()], { stdio: 'pipe' });
    let isRunning = true;
    const ended = once(child, 'exit').then(() => {
      isRunning = false;
    });
    await once(child.stdout, 'data');

    const seen = new Set<string>();
    while (isRunning) {
      const { credentials, refreshToken } = await real.read(signal);
      seen.add(`${refreshToken} ${credentials.accessToken}`);
    }
    await ended;

    expect([...seen].sort()).toEqual(
      [FIRST, SECOND].map((tokens) => `${tokens.refresh_token} ${tokens.access_token}`),
    );
  });
});
