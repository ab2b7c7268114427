import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { hostname } from 'node:os';
import * as v from 'valibot';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { type Clock, nowSecs, sleep, stayAwake } from '../../lib/platform/clock.ts';
import { writeOwnerFile } from '../../lib/platform/owner-file.ts';
import { type FileLock, lockFile } from './file-lock.ts';

const LOCK_HOLDER = v.object({
  pid: v.pipe(v.number(), v.integer()),
  /** In a container, the container's id. */
  host: v.string(),
  /** When it took the lock, in Unix seconds. */
  since: v.pipe(v.number(), v.integer()),
});

type LockHolder = v.InferOutput<typeof LOCK_HOLDER>;

interface Options {
  readonly clock: Clock;
  /** Called once, before the first wait. */
  readonly onHeld: (holder: LockHolder | undefined) => void;
  /** Ends the wait, which then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

const RETRY_MS = 100;
const MAX_HOLDER_BYTES = 4096;

/**
 * Waits until no other process holds `server.activation_lock`, takes it and writes who holds it into a file beside it.
 * The lock is held until `release` or the end of the process. Throws `configuration` when the file cannot be locked.
 */
export async function takeActivationLock(
  path: string,
  { clock, onHeld, signal }: Options,
): Promise<FileLock> {
  let lock = tryLock(path);
  if (lock === undefined) {
    onHeld(readHolder(path));
    const release = stayAwake();
    try {
      while (lock === undefined) {
        await sleep(clock, RETRY_MS, signal);
        lock = tryLock(path);
      }
    } finally {
      release();
    }
  }
  const { release } = lock;
  writeHolder(path, { pid: process.pid, host: hostname(), since: nowSecs(clock) });
  return {
    release() {
      // The next holder writes its own file only after it has the lock.
      rmSync(holderFile(path), { force: true });
      release();
    },
  };
}

/**
 * Who holds the lock, as it wrote itself: the file of a crashed process remains until the next one has taken the lock.
 * Undefined when no such file can be read.
 */
export function readHolder(path: string): LockHolder | undefined {
  try {
    return v.parse(LOCK_HOLDER, JSON.parse(readShort(holderFile(path))));
  } catch {
    return undefined;
  }
}

/** The text of a regular file, not of what a link or a pipe of that name would give. Throws if it is none, or is long. */
function readShort(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > MAX_HOLDER_BYTES) throw new Error('it is no holder');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Who holds a lock, for the operator. */
export function describeHolder(holder: LockHolder | undefined): string {
  if (!holder) return 'another process';
  const { pid, host, since } = holder;
  return `process ${pid} on ${host} since ${new Date(since * 1000).toISOString()}`;
}

function tryLock(path: string): FileLock | undefined {
  try {
    return lockFile(path);
  } catch (cause) {
    const message = 'server.activation_lock: the file cannot be made or locked, or is not empty';
    throw new BridgeError('configuration', message, { cause });
  }
}

/** Replaced atomically, so that a reader never sees half of it. */
function writeHolder(path: string, holder: LockHolder): void {
  const file = holderFile(path);
  const fresh = `${file}.new`;
  rmSync(file, { force: true });
  try {
    // One that a crash has left, or a link: removing it does not touch the target.
    rmSync(fresh, { force: true });
    writeOwnerFile(fresh, `${JSON.stringify(holder)}\n`);
    renameSync(fresh, file);
  } catch {
    // The disk may be full, or the name belong to another user. The lock is held all the same, by a process whose name is not known.
  }
}

function holderFile(path: string): string {
  return `${path}.holder`;
}
