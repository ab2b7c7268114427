import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockStateDirectory } from '../../../../local-runtime/server/locks/state-lock.ts';

describe('lockStateDirectory', () => {
  let directory: string;
  let state: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'state-lock-'));
    state = join(directory, 'made', 'state');
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Starts another process that tries to lock the directory, prints the result and waits to be killed. */
  async function otherProcess(): Promise<{ got: string; kill(): Promise<unknown> }> {
    const built = new URL(
      '../../../../dist/local-runtime/server/locks/state-lock.js',
      import.meta.url,
    );
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

  test('creates the directory with one empty file, accessible only by its owner', async () => {
    const lock = lockStateDirectory(state);

    expect(lock.ok).toBe(true);
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    expect(await readdir(state)).toEqual(['lock']);
    const { size, mode } = await stat(join(state, 'lock'));
    expect([size, mode & 0o777]).toEqual([0, 0o600]);
    if (lock.ok) lock.release();
  });

  test('rejects a second lock in the same process until the first lock is released', () => {
    const first = lockStateDirectory(state);
    const second = lockStateDirectory(state);

    if (first.ok) first.release();
    const third = lockStateDirectory(state);

    expect([first.ok, second.ok, third.ok]).toEqual([true, false, true]);
    if (third.ok) third.release();
  });

  test('does not release the held lock when a second lock is rejected', () => {
    const first = lockStateDirectory(state);
    lockStateDirectory(state);

    expect(lockStateDirectory(state).ok).toBe(false);
    if (first.ok) first.release();
  });

  test('rejects another process', async () => {
    const ours = lockStateDirectory(state);

    const other = await otherProcess();

    expect(other.got).toBe('false');
    await other.kill();
    if (ours.ok) ours.release();
  });

  test('releases the directory of a killed process, which leaves only the empty file', async () => {
    const other = await otherProcess();
    const whileHeld = lockStateDirectory(state);

    await other.kill();
    const afterwards = lockStateDirectory(state);

    expect([other.got, whileHeld.ok, afterwards.ok]).toEqual(['true', false, true]);
    if (afterwards.ok) afterwards.release();
    expect(await readdir(state)).toEqual(['lock']);
  });

  test('allows repeated releases', () => {
    const lock = lockStateDirectory(state);
    if (lock.ok) lock.release();

    expect(() => lock.ok && lock.release()).not.toThrow();
  });

  test('throws configuration with the name of the setting if the directory cannot be created', async () => {
    await writeFile(join(directory, 'made'), 'a file');

    expect(() => lockStateDirectory(state)).toThrow(/^state\.directory: /);
  });
});
