import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockStateDirectory } from '../../../local-runtime/locks/state-lock.ts';

describe('lockStateDirectory', () => {
  let directory: string;
  let state: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'state-lock-'));
    state = join(directory, 'made', 'state');
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Another process that takes the lock, says what it got and then waits to be killed. */
  async function otherProcess(): Promise<{ got: string; kill(): Promise<unknown> }> {
    const built = new URL('../../../dist/local-runtime/locks/state-lock.js', import.meta.url);
    const program = `
      const { lockStateDirectory } = await import(${JSON.stringify(built.href)});
      globalThis.lock = lockStateDirectory(${JSON.stringify(state)});
      process.stdout.write(String(lock.ok));
      setInterval(() => lock, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const [got] = await once(child.stdout, 'data');
    return {
      got: String(got),
      kill() {
        child.kill('SIGKILL');
        return ended;
      },
    };
  }

  test('the directory is made for its owner alone, with one empty file in it', async () => {
    const lock = lockStateDirectory(state);

    expect(lock.ok).toBe(true);
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    expect(await readdir(state)).toEqual(['lock']);
    const { size, mode } = await stat(join(state, 'lock'));
    expect([size, mode & 0o777]).toEqual([0, 0o600]);
    if (lock.ok) lock.release();
  });

  test('a second lock in the same process is refused until the first is released', () => {
    const first = lockStateDirectory(state);
    const second = lockStateDirectory(state);

    if (first.ok) first.release();
    const third = lockStateDirectory(state);

    expect([first.ok, second.ok, third.ok]).toEqual([true, false, true]);
    if (third.ok) third.release();
  });

  test('a refused lock does not loosen the one that is held', () => {
    const first = lockStateDirectory(state);
    lockStateDirectory(state);

    expect(lockStateDirectory(state).ok).toBe(false);
    if (first.ok) first.release();
  });

  test('another process is refused', async () => {
    const ours = lockStateDirectory(state);

    const other = await otherProcess();

    expect(other.got).toBe('false');
    await other.kill();
    if (ours.ok) ours.release();
  });

  test('a killed process releases the directory and leaves only the empty file', async () => {
    const other = await otherProcess();
    const whileHeld = lockStateDirectory(state);

    await other.kill();
    const afterwards = lockStateDirectory(state);

    expect([other.got, whileHeld.ok, afterwards.ok]).toEqual(['true', false, true]);
    if (afterwards.ok) afterwards.release();
    expect(await readdir(state)).toEqual(['lock']);
  });

  test('a release may be repeated', () => {
    const lock = lockStateDirectory(state);
    if (lock.ok) lock.release();

    expect(() => lock.ok && lock.release()).not.toThrow();
  });

  test('a directory that cannot be made is a matter of configuration, named by its field', async () => {
    await writeFile(join(directory, 'made'), 'a file');

    expect(() => lockStateDirectory(state)).toThrow(/^state\.directory: /);
  });
});
