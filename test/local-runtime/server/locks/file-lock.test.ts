import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile, waitForFileLock } from '../../../../local-runtime/server/locks/file-lock.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true }));

describe('waitForFileLock', () => {
  it('acquires a free lock at once', async () => {
    const lock = await waitForFileLock(path, { clock: createManualClock(), forMs: 0 });

    expect(lockFile(path)).toBeUndefined();
    lock?.release();
    lockFile(path)?.release();
  });

  it('acquires the lock when it is released', async () => {
    const clock = createManualClock();
    const held = lockFile(path);
    const waiting = waitForFileLock(path, { clock, forMs: 10_000 });
    await clock.advance(5000);

    held?.release();
    await clock.advance(1000);

    const lock = await waiting;
    expect(lock).toBeDefined();
    lock?.release();
  });

  it('resolves with undefined if the lock is held for longer', async () => {
    const clock = createManualClock();
    const held = lockFile(path);

    const waiting = waitForFileLock(path, { clock, forMs: 10_000 });
    await clock.advance(11_000);

    expect(await waiting).toBeUndefined();
    held?.release();
  });
});
