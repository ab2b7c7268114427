import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';

/** The right to renew the login, among all bridges on this machine. */
export interface HeldLock {
  /** False once another process took it over, as happens to a process that stood still for too long. */
  isHeld(): Promise<boolean>;
  /** Never rejects: what cannot be removed becomes stale. */
  release(): Promise<void>;
}

export type RefreshLock = ReturnType<typeof createRefreshLock>;

interface Deps {
  readonly home: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

const NAME = '.image-bridge-auth.lock';
const OPEN = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = OPEN | constants.O_CREAT | constants.O_EXCL;
const OWNER_ONLY = 0o600;

const RENEW_EVERY_MS = 2000;
const STALE_AFTER_MS = 10_000;
// Longer than between two renewals: an owner that slept with all of the machine has shown that it woke up.
const WATCH_AT_LEAST_MS = 3000;

/**
 * The lock of providers.md, "Credentials": a file that is created exclusively, lives by its renewed mtime and is taken
 * over when it is stale.
 *
 * A stale file is not removed: between looking at it and removing it, another process could have taken it over already.
 * Instead each contender appends a record that names itself and the owner it found. The kernel puts appended records
 * in one order for all, and the first that names the owner makes the next one; the others read that they came too late.
 */
export function createRefreshLock({ home, clock, ids }: Deps) {
  const path = join(home, NAME);
  let watched: { readonly mark: string; readonly sinceMs: number } | undefined;

  /** Whether the lock in this state was not renewed for so long that its owner must have ended. */
  function isStale(found: BigIntStats): boolean {
    const nowMs = clock.monotonicMs();
    const mark = toMark(found);
    if (watched?.mark !== mark) watched = { mark, sinceMs: nowMs };
    const ageMs = clock.nowMs() - Number(found.mtimeMs);
    // Watching it for all of that time is for clocks that disagree.
    const longEnoughMs = ageMs >= STALE_AFTER_MS ? WATCH_AT_LEAST_MS : STALE_AFTER_MS;
    return nowMs - watched.sinceMs >= longEnoughMs;
  }

  /** Enters into the competition for a file that is new, or that was found stale in the state `stale`. */
  async function contend(file: FileHandle, stale?: BigIntStats): Promise<HeldLock | undefined> {
    const id = ids.newOpaqueId();
    const isHeld = async () => (await ownerOf(file)) === id && (await isInPlace(path, file));
    let isWon = false;
    try {
      const before = stale ? await ownerOf(file) : NO_OWNER;
      // Only in this order is that certainly the owner who let this very state become stale.
      if (stale && toMark(await file.stat({ bigint: true })) !== toMark(stale)) return undefined;
      // The line break in front is for a file whose last line another process has left open.
      await file.write(`\n${id} ${before}\n`);
      isWon = await isHeld();
      return isWon ? hold(path, file, isHeld, clock) : undefined;
    } finally {
      if (!isWon) await file.close();
    }
  }

  return {
    /** Takes the lock; undefined as long as another process holds it. Rejects with the file system's own errors. */
    async tryTake(): Promise<HeldLock | undefined> {
      const made = await openLock(path, CREATE);
      if (made) return contend(made);
      const found = await statName(path);
      if (!found || !isStale(found)) return undefined;
      const stale = await openLock(path, OPEN);
      return stale && contend(stale, found);
    },
  };
}

function hold(
  path: string,
  file: FileHandle,
  isHeld: () => Promise<boolean>,
  clock: Clock,
): HeldLock {
  let isReleased = false;
  let stopRenewing = clock.after(RENEW_EVERY_MS, renew);

  function renew(): void {
    const nowSecs = clock.nowMs() / 1000;
    const next = () => {
      if (!isReleased) stopRenewing = clock.after(RENEW_EVERY_MS, renew);
    };
    file.utimes(nowSecs, nowSecs).then(next, next);
  }

  return {
    isHeld,
    async release() {
      isReleased = true;
      stopRenewing();
      try {
        if (await isHeld()) await unlink(path);
      } catch {
        // The lock becomes stale.
      }
      await file.close().catch(() => undefined);
    },
  };
}

const NO_OWNER = '-';
const RECORD = /^([0-9a-f]{32}) ([0-9a-f]{32}|-)$/;
// Room for hundreds of takeovers without a release; a longer file is not ours.
const MAX_BYTES = 65_536;

/** The owner by the records of the lock; none by those of another program. */
async function ownerOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
  let owner = NO_OWNER;
  for (const line of buffer.toString('latin1', 0, bytesRead).split('\n')) {
    const [, next, before] = RECORD.exec(line) ?? [];
    if (next !== undefined && before === owner) owner = next;
  }
  return owner;
}

/** Whether the name still leads to this file. */
async function isInPlace(path: string, file: FileHandle): Promise<boolean> {
  const [named, opened] = await Promise.all([statName(path), file.stat({ bigint: true })]);
  return named?.ino === opened.ino && named.dev === opened.dev;
}

function toMark({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/** Undefined when it is there and should not be, or the other way round. */
async function openLock(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags, OWNER_ONLY);
  } catch (error) {
    if (hasCode(error, 'EEXIST') || hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Throws when what has the name is no regular file: no owner will ever remove that. */
async function statName(path: string): Promise<BigIntStats | undefined> {
  let found: BigIntStats;
  try {
    found = await lstat(path, { bigint: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (!found.isFile()) throw new Error('the lock is no regular file');
  return found;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
