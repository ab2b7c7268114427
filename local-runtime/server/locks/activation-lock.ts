import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import * as v from 'valibot';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { type Clock, nowSecs, sleep, stayAwake } from '../../../lib/platform/clock.ts';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { OWNER_FILE } from '../../../lib/platform/owner-file.ts';
import { readRegularFileNow } from '../../../lib/platform/regular-file.ts';
import { type FileLock, lockFile } from './file-lock.ts';

const LOCK_HOLDER = v.object({
  pid: v.pipe(v.number(), v.integer()),
  /** The host name. In a container, the host name is the id of the container. */
  host: v.string(),
  /** The time at which the process acquired the lock, in Unix seconds. */
  since: v.pipe(v.number(), v.integer()),
});

type LockHolder = v.InferOutput<typeof LOCK_HOLDER>;

interface Options {
  readonly clock: Clock;
  /** Called once before the first wait, with the holder of the lock if the holder is known. */
  readonly onHeld: (holder: LockHolder | undefined) => void;
  /** Aborts the wait. The promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

const RETRY_MS = 100;
const MAX_HOLDER_BYTES = 4096;

/**
 * Waits until no other process holds `server.activation_lock`, acquires the lock, and writes the identity of this process to
 * a file beside the lock file. The lock is held until `release` or until the process ends. Throws `configuration` if the file
 * cannot be locked.
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
  await writeHolder(path, { pid: process.pid, host: hostname(), since: nowSecs(clock) });
  return {
    release() {
      // Removed before the unlock, because the next holder writes its own file as soon as the lock is free.
      rmSync(holderFile(path), { force: true });
      release();
    },
  };
}

/**
 * Returns the identity written by the holder of the lock, or undefined if the file cannot be read. The file of a crashed
 * process remains until the next process acquires the lock.
 */
export function readHolder(path: string): LockHolder | undefined {
  const found = readRegularFileNow(holderFile(path), {
    maxBytes: MAX_HOLDER_BYTES,
    rejectsLink: true,
  });
  if (!('bytes' in found)) return undefined;
  try {
    return v.parse(LOCK_HOLDER, JSON.parse(found.bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** Describes the holder of a lock for the operator. */
export function describeHolder(holder: LockHolder | undefined): string {
  if (!holder) return 'another process';
  const { pid, host, since } = holder;
  return `process ${pid} on ${host} since ${new Date(since * 1000).toISOString()}`;
}

function tryLock(path: string): FileLock | undefined {
  try {
    return lockFile(path);
  } catch (cause) {
    const message = 'server.activation_lock: the file cannot be created or locked, or is not empty';
    throw new BridgeError('configuration', message, { cause });
  }
}

/** Writes the holder file. The file is replaced atomically, so that a reader never reads a partial file. */
async function writeHolder(path: string, holder: LockHolder): Promise<void> {
  const file = holderFile(path);
  // Removed first, because the identity of the previous holder must not remain if the new file cannot be written.
  rmSync(file, { force: true });
  try {
    const text = `${JSON.stringify(holder)}\n`;
    await saveFile(file, text, { replaces: true, mode: OWNER_FILE });
  } catch {
    // Ignored: the disk may be full, or the file may belong to another user. This process holds the lock nevertheless.
  }
}

function holderFile(path: string): string {
  return `${path}.holder`;
}
