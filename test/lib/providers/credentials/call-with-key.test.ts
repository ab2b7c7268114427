import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createApiKeySource } from '../../../../lib/providers/credentials/api-key.ts';
import { callWithKey } from '../../../../lib/providers/credentials/call-with-key.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'key-'));
  file = join(folder, 'key');
  await writeFile(file, 'first', { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true }));

const source = () =>
  createApiKeySource({
    settings: { api_key_env: undefined, api_key_file: file },
    env: {},
    clock: systemClock,
  });

const refusal = () => new BridgeError('provider_authentication', 'the key is refused');

describe('callWithKey', () => {
  it('calls once more with the key that the file has got meanwhile', async () => {
    const sent: unknown[] = [];

    const result = await callWithKey(source(), async (key) => {
      sent.push(key);
      if (sent.length > 1) return 'done';
      await writeFile(file, 'second');
      throw refusal();
    });

    expect(result).toBe('done');
    expect(sent).toEqual(['first', 'second']);
  });

  it('does not send a refused key twice', async () => {
    const sent: unknown[] = [];

    const ended = callWithKey(source(), async (key) => {
      sent.push(key);
      throw refusal();
    });

    await expect(ended).rejects.toMatchObject({ code: 'provider_authentication' });
    expect(sent).toEqual(['first']);
  });

  it('calls a third time for no key', async () => {
    const sent: unknown[] = [];

    const ended = callWithKey(source(), async (key) => {
      sent.push(key);
      await writeFile(file, `key-${sent.length}`);
      throw refusal();
    });

    await expect(ended).rejects.toMatchObject({ code: 'provider_authentication' });
    expect(sent).toEqual(['first', 'key-1']);
  });

  it('does not repeat a call that failed otherwise, whatever the file holds', async () => {
    const sent: unknown[] = [];

    const ended = callWithKey(source(), async (key) => {
      sent.push(key);
      await writeFile(file, 'second');
      throw new BridgeError('upstream', 'it failed');
    });

    await expect(ended).rejects.toMatchObject({ code: 'upstream' });
    expect(sent).toEqual(['first']);
  });

  it('calls without a key where none is set', async () => {
    const open = createApiKeySource({
      settings: { api_key_env: undefined, api_key_file: undefined },
      env: {},
      clock: systemClock,
    });

    expect(await callWithKey(open, async (key) => key)).toBeUndefined();
  });
});
