import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createResponsesUpstream } from './responses-upstream.ts';
import { holdsForeignLogin } from './write-login.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'login-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('writeLogin', () => {
  it('writes a file that only its owner can read and that is recognized as the login of an emulator', async () => {
    const upstream = await createResponsesUpstream();

    await upstream.writeLogin(folder);
    await upstream.close();

    const file = join(folder, 'auth.json');
    expect(await readFile(file, 'utf8')).toBe(upstream.loginFile());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await holdsForeignLogin(folder)).toBe(false);
  });
});

describe('holdsForeignLogin', () => {
  it('returns false for an empty folder', async () => {
    expect(await holdsForeignLogin(folder)).toBe(false);
  });

  it.each([
    ['another login', '{"tokens":{"access_token":"a.b.c"}}'],
    ['an API key', '{"OPENAI_API_KEY":"sk-1"}'],
    ['half a file', '{"tokens":'],
    ['null', 'null'],
  ])('returns true for %s', async (_what, content) => {
    await writeFile(join(folder, 'auth.json'), content);

    expect(await holdsForeignLogin(folder)).toBe(true);
  });
});
