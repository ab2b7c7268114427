import { createHash } from 'node:crypto';
import { type BigIntStats, constants, lstatSync } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import type { FileContent, PublishedFile } from '../../artifacts/artifact-files-port.ts';
import type { Clock } from '../../platform/clock.ts';
import { isStampSettled, toFileStamp } from '../../platform/file-stamp.ts';
import { CREATE_FLAGS, OWNER_FILE } from '../../platform/owner-file.ts';
import { isAbsence } from './file-errors.ts';

// Opening a pipe must not wait for its other end.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const ZEROS = Buffer.alloc(262_144);

// About 2 ms of hashing.
const STEP_BYTES = 4 * 1024 * 1024;

/** Makes the file and resolves when its bytes are durable; its name is so once its folder was synced. */
export async function writeNew(path: string, bytes: Buffer, mode = OWNER_FILE): Promise<void> {
  const file = await open(path, CREATE_FLAGS, mode);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Makes a file of so many bytes. It is not made durable: a file system refuses what it has no room for when it is written. */
export async function writeZeros(path: string, bytes: number): Promise<void> {
  const file = await open(path, CREATE_FLAGS, OWNER_FILE);
  try {
    for (let at = 0; at < bytes; at += ZEROS.length) {
      const piece = ZEROS.subarray(0, Math.min(ZEROS.length, bytes - at));
      const { bytesWritten } = await file.write(piece);
      // The rest does not fit; writing it says why.
      if (bytesWritten < piece.length) await file.write(piece, bytesWritten);
    }
  } finally {
    await file.close();
  }
}

/** What has this name, a link included; undefined when nothing has. */
export async function statName(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/**
 * The same at once: two microseconds, against forty for the way over the threads that decode images, on which it would
 * have to wait for them as well.
 */
export function statNameNow(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

export async function unlinkIfPresent(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** Whether the name leads to this very file, by no link. */
export async function isSameFile(path: string, file: BigIntStats): Promise<boolean> {
  const found = await statName(path);
  return found !== undefined && found.dev === file.dev && found.ino === file.ino;
}

/** Whether a regular file of that name has exactly the content that was published. */
export function hasChecksum(
  path: string,
  { bytes: size, sha256 }: Pick<PublishedFile, 'bytes' | 'sha256'>,
): Promise<boolean> {
  return withRegularFile(path, size, false, async (file) => {
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafeSlow(Math.min(size, STEP_BYTES));
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - at), at);
      if (bytesRead === 0) return false;
      hash.update(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digest('hex') === sha256;
  });
}

/** The whole regular file; undefined when there is none of exactly `size` bytes with this checksum under that name. */
export function readChecked(
  path: string,
  size: number,
  sha256: string,
): Promise<Buffer | undefined> {
  return withRegularFile(path, size, undefined, async (file) => {
    const hash = createHash('sha256');
    const bytes = await readBytes(file, size, (read) => hash.update(read));
    return bytes !== undefined && hash.digest('hex') === sha256 ? bytes : undefined;
  });
}

/** The whole regular file; undefined when there is none of exactly `size` bytes under that name. */
export function readWhole(
  path: string,
  size: number,
  clock: Pick<Clock, 'nowMs'>,
): Promise<FileContent | undefined> {
  return withRegularFile(path, size, undefined, async (file, before) => {
    const bytes = await readBytes(file, size);
    const after = await file.stat({ bigint: true });
    const unchanged = toFileStamp(after) === toFileStamp(before);
    return bytes === undefined
      ? undefined
      : {
          bytes,
          stamp: unchanged && isStampSettled(after, clock) ? toFileStamp(after) : undefined,
        };
  });
}

/** What `work` makes of the regular file of exactly `size` bytes under that name; `absent` when there is none. */
async function withRegularFile<T>(
  path: string,
  size: number,
  absent: T,
  work: (file: FileHandle, found: BigIntStats) => Promise<T>,
): Promise<T> {
  let file: FileHandle;
  try {
    file = await open(path, READ);
  } catch (error) {
    if (isAbsence(error)) return absent;
    throw error;
  }
  try {
    const found = await file.stat({ bigint: true });
    return found.isFile() && found.size === BigInt(size) ? await work(file, found) : absent;
  } finally {
    await file.close();
  }
}

async function readBytes(
  file: FileHandle,
  size: number,
  onRead?: (read: Buffer) => void,
): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const most = onRead ? Math.min(size - at, STEP_BYTES) : size - at;
    const { bytesRead } = await file.read(bytes, at, most, at);
    if (bytesRead === 0) return undefined;
    onRead?.(bytes.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return bytes;
}
