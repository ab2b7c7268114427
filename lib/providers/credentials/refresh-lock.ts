import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { Ids } from '../../platform/ids.ts';

/** The exclusive right to renew the login. At most one bridge process on this machine has this right. */
export type HeldLock = ReturnType<typeof hold>;

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
// Minimum time for which an old lock is watched before it counts as stale. The time is longer than the renewal
// interval, so that an owner that was suspended together with the machine can renew the lock after it resumes.
const WATCH_AT_LEAST_MS = 3000;

/**
 * Creates a lock. The lock is a file that is created exclusively. The owner renews the mtime of the file regularly, and
 * another process takes over a file that is stale.
 *
 * A stale file is not deleted, because another process could take it over between the check and the deletion. Instead,
 * each contender appends a record that contains its own id and the current owner's id. All processes see the records in
 * the same order. The first record that names the current owner determines the next owner. The other contenders read
 * the file and see that they have lost.
 */
export function createRefreshLock({ home, clock, ids }: Deps) {
  const path = join(home, NAME);
  let watched: { readonly mark: string; readonly sinceMs: number } | undefined;

  /** Returns true if the lock file has stayed in this state for so long that its owner must have ended. */
  function isStale(found: BigIntStats): boolean {
    const nowMs = clock.monotonicMs();
    const mark = toMark(found);
    if (watched?.mark !== mark) watched = { mark, sinceMs: nowMs };
    const ageMs = clock.nowMs() - Number(found.mtimeMs);
    // If the mtime is recent or in the future, the file must stay unchanged for the full period.
    const longEnoughMs = ageMs >= STALE_AFTER_MS ? WATCH_AT_LEAST_MS : STALE_AFTER_MS;
    return nowMs - watched.sinceMs >= longEnoughMs;
  }

  /**
   * Competes for a lock file. `stale` is the state in which an existing file was found to be stale. `stale` is
   * undefined for a file that was just created. Resolves with undefined if another process gets the lock.
   */
  async function contend(file: FileHandle, stale?: BigIntStats): Promise<HeldLock | undefined> {
    const id = ids.newOpaqueId();
    const isHeld = async () => (await ownerOf(file)) === id && (await isInPlace(path, file));
    let isWon = false;
    try {
      const before = stale ? await ownerOf(file) : NO_OWNER;
      // The owner is read before the state is compared, so that `before` is the owner of the file in exactly the stale
      // state.
      if (stale && toMark(await file.stat({ bigint: true })) !== toMark(stale)) return undefined;
      // The leading line break ends a line that another process may have left incomplete.
      await file.write(`\n${id} ${before}\n`);
      isWon = await isHeld();
      return isWon ? hold(path, file, isHeld, clock) : undefined;
    } finally {
      if (!isWon) await file.close();
    }
  }

  return {
    /**
     * Acquires the lock. Resolves with undefined if another process holds the lock. Rejects with the errors of the file
     * system.
     */
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

function hold(path: string, file: FileHandle, isHeld: () => Promise<boolean>, clock: Clock) {
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
    /**
     * Resolves with false if another process has taken over the lock. A process loses the lock if it is suspended for
     * too long.
     */
    isHeld,

    /** Releases the lock and never rejects. A lock file that cannot be deleted becomes stale. */
    async release(): Promise<void> {
      isReleased = true;
      stopRenewing();
      try {
        if (await isHeld()) await unlink(path);
      } catch {
        // A lock that cannot be deleted becomes stale.
      }
      await file.close().catch(() => undefined);
    },
  };
}

const NO_OWNER = '-';
const RECORD = /^([0-9a-f]{32}) ([0-9a-f]{32}|-)$/;
// Maximum number of bytes that are read. Enough for the records of hundreds of takeovers without a release.
const MAX_BYTES = 65_536;

/** Resolves with the id of the owner according to the records. Lines in another form are ignored. */
async function ownerOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
  let owner = NO_OWNER;
  for (const line of buffer.toString('latin1', 0, bytesRead).split('\n')) {
    const [, next, before] = RECORD.exec(line) ?? [];
    if (next !== undefined && before === owner) owner = next;
  }
  return owner;
}

/** Resolves with true if the path still refers to this file. */
async function isInPlace(path: string, file: FileHandle): Promise<boolean> {
  const [named, opened] = await Promise.all([statName(path), file.stat({ bigint: true })]);
  return named?.ino === opened.ino && named.dev === opened.dev;
}

function toMark({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/**
 * Opens or creates the lock file. Resolves with undefined if the file to create already exists, or if the file to open
 * does not exist.
 */
async function openLock(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags, OWNER_ONLY);
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Resolves with the state of the lock file, or with undefined if the file does not exist. Throws if the path is not a
 * regular file, because no bridge process would ever delete such a path.
 */
async function statName(path: string): Promise<BigIntStats | undefined> {
  let found: BigIntStats;
  try {
    found = await lstat(path, { bigint: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (!found.isFile()) throw new Error('the lock is not a regular file');
  return found;
}
