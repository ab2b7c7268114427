import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { callWithKey, createApiKeySource } from '../../../../lib/providers/credentials/api-key.ts';

const KEY = 'sk-proj-Abc_123';
const NEXT = 'sk-proj-Next';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-bridge-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function path(): string {
  return join(folder, 'key');
}

function write(content: string | Buffer, mode = 0o600): void {
  writeFileSync(path(), content);
  chmodSync(path(), mode);
}

function fromFile() {
  const settings = { api_key_env: undefined, api_key_file: path() };
  return createApiKeySource({ settings, env: {} });
}

function fromVariable(value: string | undefined) {
  const settings = { api_key_env: 'MY_KEY', api_key_file: undefined };
  const env = value === undefined ? {} : { MY_KEY: value };
  return createApiKeySource({ settings, env });
}

describe('createApiKeySource', () => {
  it('has no key and is ready if the settings name none', async () => {
    const settings = { api_key_env: undefined, api_key_file: undefined };
    const source = createApiKeySource({ settings, env: {} });

    expect(await source.key()).toBeUndefined();
    expect(await source.problem()).toBeUndefined();
    expect(await source.changed(KEY)).toBe(false);
    expect(await source.readiness()).toEqual({ ready: true });
  });

  it('reads the key from the variable', async () => {
    expect(await fromVariable(`${KEY}\n`).key()).toBe(KEY);
  });

  it.each<[string, string | undefined, string]>([
    ['unset', undefined, 'is not set'],
    ['empty', '', 'is empty'],
    ['blank', ' \n', 'is empty'],
    ['in two words', 'a b', 'invalid characters'],
    ['in two lines', 'a\nb', 'invalid characters'],
    ['outside of ASCII', 'sk-ü', 'invalid characters'],
  ])('is not ready with a variable that is %s', async (_what, value, problem) => {
    const source = fromVariable(value);

    expect(await source.problem()).toContain(problem);
    expect(await source.readiness()).toEqual({ ready: false, errorCode: 'authentication' });
    await expect(source.key()).rejects.toMatchObject({ code: 'provider_authentication' });
  });

  it.each(['', '\n', '\r\n', '  \n\n'])('reads the key from the file before %j', async (end) => {
    write(KEY + end);

    expect(await fromFile().key()).toBe(KEY);
    expect(await fromFile().readiness()).toEqual({ ready: true });
  });

  it('follows links because mounted secrets are links', async () => {
    write(KEY);
    renameSync(path(), join(folder, 'v1'));
    symlinkSync('v1', path());
    const source = fromFile();
    const before = await source.key();

    writeFileSync(join(folder, 'v2'), NEXT, { mode: 0o600 });
    symlinkSync('v2', join(folder, 'new'));
    renameSync(join(folder, 'new'), path());

    expect(before).toBe(KEY);
    expect(await source.key()).toBe(NEXT);
  });

  it('reads a file again for each call', async () => {
    write(KEY);
    const source = fromFile();
    await source.key();

    writeFileSync(path(), NEXT);

    expect(await source.changed(KEY)).toBe(true);
    expect(await source.changed(NEXT)).toBe(false);
    expect(await source.key()).toBe(NEXT);
  });

  it('stops using a file that becomes writable by others', async () => {
    write(KEY);
    const source = fromFile();
    await source.key();

    chmodSync(path(), 0o602);

    expect(await source.problem()).toContain('writable by its group');
    expect(await source.changed(KEY)).toBe(false);
  });

  it.each<[string, string, () => void]>([
    ['is missing', 'does not exist', () => undefined],
    ['is a dangling link', 'does not exist', () => symlinkSync('/nowhere', path())],
    ['links to itself', 'not a regular file', () => symlinkSync('key', path())],
    ['is a folder', 'not a regular file', () => mkdirSync(path())],
    ['is a pipe', 'not a regular file', () => void execFileSync('mkfifo', ['-m', '600', path()])],
    ['is empty', 'is empty', () => write('')],
    ['is blank', 'is empty', () => write('\n')],
    ['contains two lines', 'invalid characters', () => write('a\nb')],
    ['contains bytes', 'invalid characters', () => write(Buffer.from([0x00, 0xff]))],
    ['contains UTF-8', 'invalid characters', () => write('sk-ü')],
    ['is larger than 64 KiB', 'larger than 64 KiB', () => write('x'.repeat(65_537))],
    [
      'is a sparse terabyte',
      'larger than 64 KiB',
      () => {
        write('');
        truncateSync(path(), 2 ** 40);
      },
    ],
    ['its group may write', 'writable by its group', () => write(KEY, 0o660)],
    ['all users may write', 'writable by its group', () => write(KEY, 0o602)],
  ])(
    'rejects a file that %s without showing its path or content',
    async (_what, problem, prepare) => {
      prepare();
      const source = fromFile();

      const failure = await source.key().catch((error: unknown) => error);

      expect(await source.problem()).toContain(problem);
      expect(await source.readiness()).toEqual({ ready: false, errorCode: 'authentication' });
      expect(failure).toMatchObject({
        code: 'provider_authentication',
        retryable: false,
        details: {},
      });
      expect(inspect(failure, { depth: 9 }).replace(/^ +at .*$/gm, '')).not.toMatch(
        /image-bridge-key|sk-proj/,
      );
    },
  );
});

const source = () =>
  createApiKeySource({
    settings: { api_key_env: undefined, api_key_file: path() },
    env: {},
  });

const refusal = () => new BridgeError('provider_authentication', 'the key is refused');

describe('callWithKey', () => {
  beforeEach(() => write('first'));

  it('calls once more with the key that was written to the file meanwhile', async () => {
    const sent: unknown[] = [];

    const result = await callWithKey(source(), async (key) => {
      sent.push(key);
      if (sent.length > 1) return 'done';
      write('second');
      throw refusal();
    });

    expect(result).toBe('done');
    expect(sent).toEqual(['first', 'second']);
  });

  it('does not send a rejected key twice', async () => {
    const sent: unknown[] = [];

    const ended = callWithKey(source(), async (key) => {
      sent.push(key);
      throw refusal();
    });

    await expect(ended).rejects.toMatchObject({ code: 'provider_authentication' });
    expect(sent).toEqual(['first']);
  });

  it('never calls a third time', async () => {
    const sent: unknown[] = [];

    const ended = callWithKey(source(), async (key) => {
      sent.push(key);
      write(`key-${sent.length}`);
      throw refusal();
    });

    await expect(ended).rejects.toMatchObject({ code: 'provider_authentication' });
    expect(sent).toEqual(['first', 'key-1']);
  });

  it('does not repeat a call that failed for another reason', async () => {
    const sent: unknown[] = [];

    const ended = callWithKey(source(), async (key) => {
      sent.push(key);
      write('second');
      throw new BridgeError('upstream', 'it failed');
    });

    await expect(ended).rejects.toMatchObject({ code: 'upstream' });
    expect(sent).toEqual(['first']);
  });

  it('calls without a key if the settings name none', async () => {
    const open = createApiKeySource({
      settings: { api_key_env: undefined, api_key_file: undefined },
      env: {},
    });

    expect(await callWithKey(open, async (key) => key)).toBeUndefined();
  });
});
