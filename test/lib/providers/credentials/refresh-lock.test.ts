import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import {
  createRefreshLock,
  type HeldLock,
} from '../../../../lib/providers/credentials/refresh-lock.ts';
import { createHandClock } from './hand-clock.ts';
import { temporaryHome } from './logins.ts';

const ids = createIds(systemClock.nowMs);
const home = temporaryHome();

let hand: ReturnType<typeof createHandClock>;

beforeEach(() => {
  hand = createHandClock();
});

function lockOf(clock = hand.clock) {
  return createRefreshLock({ home: home.path(), clock, ids });
}

function path(): string {
  return join(home.path(), '.image-bridge-auth.lock');
}

/** Writes the lock file of a process that was killed that many milliseconds ago. */
function writeLock(content: string, agoMs: number): void {
  writeFileSync(path(), content);
  const secs = (hand.clock.nowMs() - agoMs) / 1000;
  utimesSync(path(), secs, secs);
}

async function take(lock = lockOf()): Promise<HeldLock> {
  const held = await lock.tryTake();
  if (!held) throw new Error('the lock is not free');
  return held;
}

describe('createRefreshLock', () => {
  it('creates a file that only its owner can access and deletes it afterwards', async () => {
    const held = await take();
    const mode = statSync(path()).mode & 0o777;

    await held.release();

    expect(mode).toBe(0o600);
    expect(existsSync(path())).toBe(false);
  });

  it('is held by one process at a time', async () => {
    const held = await take();
    const other = lockOf();

    const before = await other.tryTake();
    await held.release();
    const after = await other.tryTake();

    expect(before).toBeUndefined();
    expect(await after?.isHeld()).toBe(true);
    await after?.release();
  });

  it('is renewed every two seconds and never taken over while it is held', async () => {
    const held = await take();
    const other = lockOf();

    for (let secs = 0; secs < 60; secs += 2) {
      const before = statSync(path()).mtimeMs;
      await hand.waited();
      hand.advance(2000);
      while (statSync(path()).mtimeMs === before) await turn();
      expect(await other.tryTake()).toBeUndefined();
    }

    expect(await held.isHeld()).toBe(true);
    await held.release();
  });

  it('is not renewed after its release', async () => {
    const held = await take();
    await held.release();
    const next = await take(lockOf(systemClock));
    const { mtimeMs } = statSync(path());

    hand.advance(10_000);
    for (let turns = 0; turns < 20; turns += 1) await turn();

    expect(statSync(path()).mtimeMs).toBe(mtimeMs);
    await next.release();
  });

  it.each(['', '4711', '4711\n', '{"pid": 4711}', `${'a'.repeat(32)} -\n`, '\n\n- -\n'])(
    'is taken over if %j was written more than ten seconds ago and is not renewed',
    async (content) => {
      writeLock(content, 11_000);
      const lock = lockOf();

      const before = await lock.tryTake();
      hand.advance(3000);
      const after = await lock.tryTake();

      expect(before).toBeUndefined();
      expect(await after?.isHeld()).toBe(true);
      await after?.release();
      expect(existsSync(path())).toBe(false);
    },
  );

  it.each([
    ['has just been left', 0],
    ['claims to be from the future', -3_600_000],
  ])('is taken over ten seconds later if it %s', async (_what, agoMs) => {
    writeLock('', agoMs);
    const lock = lockOf();

    const before = await lock.tryTake();
    hand.advance(9000);
    const early = await lock.tryTake();
    hand.advance(1000);
    const after = await lock.tryTake();

    expect([before, early]).toEqual([undefined, undefined]);
    expect(await after?.isHeld()).toBe(true);
    await after?.release();
  });

  it('is not taken over from an owner that was suspended and resumed', async () => {
    writeLock('', 60_000);
    const lock = lockOf();

    await lock.tryTake();
    hand.advance(2000);
    writeLock('', 0);
    await lock.tryTake();
    hand.advance(3000);

    expect(await lock.tryTake()).toBeUndefined();
  });

  it('tells a replaced owner and does not touch the lock of the next owner', async () => {
    const first = await take();
    const secs = (hand.clock.nowMs() - 20_000) / 1000;
    utimesSync(path(), secs, secs);
    // A second clock, as on another machine: the clock of this owner does not move.
    const others = createHandClock();
    const second = lockOf(others.clock);
    await second.tryTake();
    others.advance(3000);

    const held = await take(second);
    const firstIsHeld = await first.isHeld();
    await first.release();

    expect(firstIsHeld).toBe(false);
    expect(await held.isHeld()).toBe(true);
    expect(existsSync(path())).toBe(true);
    await held.release();
  });

  it('tells an owner whose file was deleted', async () => {
    const held = await take();
    renameSync(path(), `${path()}.moved`);
    const next = await take();

    expect(await held.isHeld()).toBe(false);
    await held.release();

    expect(await next.isHeld()).toBe(true);
    await next.release();
  });

  it('stays with the process that took it over between check and rename', async () => {
    const [dead, faster] = ['a'.repeat(32), 'b'.repeat(32)];
    writeLock(`${dead} -\n`, 20_000);
    const newOpaqueId = () => {
      appendFileSync(path(), `\n${faster} ${dead}\n`);
      return ids.newOpaqueId();
    };
    const deps = { home: home.path(), clock: hand.clock, ids: { ...ids, newOpaqueId } };
    const lock = createRefreshLock(deps);
    await lock.tryTake();
    hand.advance(3000);

    const held = await lock.tryTake();

    expect(held).toBeUndefined();
    expect(readFileSync(path(), 'utf8')).toBe(`${dead} -\n\n${faster} ${dead}\n`);
  });

  it('belongs to the process that took it over before its suspended creator wrote its record', async () => {
    const faster = 'b'.repeat(32);
    const newOpaqueId = () => {
      appendFileSync(path(), `\n${faster} -\n`);
      return ids.newOpaqueId();
    };
    const deps = { home: home.path(), clock: hand.clock, ids: { ...ids, newOpaqueId } };

    const held = await createRefreshLock(deps).tryTake();

    expect(held).toBeUndefined();
    expect(existsSync(path())).toBe(true);
  });

  it('is held by one process even if many find it stale at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      writeLock(`${'a'.repeat(32)} -\n`, 20_000);
      const locks = Array.from({ length: 50 }, () => lockOf());
      await Promise.all(locks.map((lock) => lock.tryTake()));
      hand.advance(3000);

      const taken = await Promise.all(locks.map((lock) => lock.tryTake()));

      const held = taken.filter((one) => one !== undefined);
      expect(held).toHaveLength(1);
      expect(await held[0]?.isHeld()).toBe(true);
      await held[0]?.release();
      expect(existsSync(path())).toBe(false);
    }
  });

  it('is held by many processes in turn after a stale lock was taken over', async () => {
    writeLock('', 20_000);
    const locks = Array.from({ length: 20 }, () => lockOf());
    await Promise.all(locks.map((lock) => lock.tryTake()));
    hand.advance(3000);
    let inside = 0;
    let most = 0;
    let passed = 0;

    const pass = async (lock: ReturnType<typeof lockOf>) => {
      let held = await lock.tryTake();
      while (!held) {
        await turn();
        held = await lock.tryTake();
      }
      inside += 1;
      most = Math.max(most, inside);
      for (let turns = 0; turns < 5; turns += 1) await turn();
      passed += (await held.isHeld()) ? 1 : 0;
      inside -= 1;
      await held.release();
    };
    await Promise.all(locks.map(pass));

    expect([most, passed]).toEqual([1, 20]);
  });

  it.each<[string, () => void]>([
    ['a link', () => symlinkSync(join(home.path(), 'target'), path())],
    ['a folder', () => mkdirSync(path())],
    ['a pipe', () => void execFileSync('mkfifo', [path()])],
  ])('fails if %s has its name because no owner will delete it', async (_what, prepare) => {
    prepare();

    await expect(lockOf().tryTake()).rejects.toThrow();
    expect(existsSync(join(home.path(), 'target'))).toBe(false);
  });

  it('ignores lock files of other programs', async () => {
    const names = ['auth.lock', 'auth.json.lock'];
    for (const name of names) writeFileSync(join(home.path(), name), 'theirs');

    const held = await take();
    await held.release();

    expect(names.map((name) => readFileSync(join(home.path(), name), 'utf8'))).toEqual([
      'theirs',
      'theirs',
    ]);
  });
});
