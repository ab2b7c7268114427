import { createHash } from 'node:crypto';
import { type BigIntStats, constants, lstatSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileContent, PublishedFile } from '../../artifacts/artifact-files-port.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { syncFolder } from '../../platform/durable-file.ts';
import { errorCode } from '../../platform/error-code.ts';
import { isStampSettled, toFileStamp } from '../../platform/file-stamp.ts';
import { CREATE_FLAGS, OWNER_FILE, OWNER_FOLDER } from '../../platform/owner-file.ts';
import { READ_FLAGS } from '../../platform/regular-file.ts';
import { isAbsence } from './file-errors.ts';

const ZEROS = Buffer.alloc(262_144);

// Hashing this many bytes takes about 2 ms.
const STEP_BYTES = 4 * 1024 * 1024;

/**
 * Creates a file of `bytes` zero bytes. The file is not synced: it only tests whether the space is free, and a full file system
 * already rejects the write.
 */
export async function writeZeros(path: string, bytes: number): Promise<void> {
  const file = await open(path, CREATE_FLAGS, OWNER_FILE);
  try {
    for (let at = 0; at < bytes; at += ZEROS.length) {
      const piece = ZEROS.subarray(0, Math.min(ZEROS.length, bytes - at));
      const { bytesWritten } = await file.write(piece);
      // The remaining bytes do not fit. Writing the remaining bytes throws the error of the file system.
      if (bytesWritten < piece.length) await file.write(piece, bytesWritten);
    }
  } finally {
    await file.close();
  }
}

/** Resolves with the status of the entry with this name, without following a link, or undefined if the name does not exist. */
export async function statName(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the same as `statName`, but synchronously and in about 2 µs. `statName` takes about 40 µs, on the thread pool that
 * also decodes images.
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

/** Resolves with true if the name leads directly to this file, without a symbolic link. */
export async function isSameFile(path: string, file: BigIntStats): Promise<boolean> {
  const found = await statName(path);
  return found !== undefined && found.dev === file.dev && found.ino === file.ino;
}

/** Resolves with true if a regular file with this name has exactly the published content. */
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

/**
 * Reads a whole regular file. Resolves with undefined if the name is not a regular file of exactly `size` bytes with this
 * checksum.
 */
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

/** Reads a whole regular file. Resolves with undefined if the name is not a regular file of exactly `size` bytes. */
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

/**
 * Opens a regular file of exactly `size` bytes and settles like `work`. Resolves with `absent` if the path is not a regular
 * file of this size.
 */
async function withRegularFile<T>(
  path: string,
  size: number,
  absent: T,
  work: (file: FileHandle, found: BigIntStats) => Promise<T>,
): Promise<T> {
  let file: FileHandle;
  try {
    file = await open(path, READ_FLAGS | constants.O_NOFOLLOW);
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

// The set of folders known to be durable is cleared at this size.
const MAX_REMEMBERED = 10_000;

/**
 * Creates folders below a root folder. The root is created together with the first folder. New folders get the permissions
 * `mode`. The permissions of existing folders do not change.
 */
export function createFolderMaker(root: string, mode = OWNER_FOLDER) {
  const durable = new Set<string>();

  async function makePart(parent: string, path: string): Promise<void> {
    const exists = await isFolder(path);
    if (exists && durable.has(path)) return;
    if (!exists) {
      // The root is created only here, because it exists if a folder below it exists.
      if (parent === root) await makeRoot(root, mode);
      await makeOne(path, mode);
    }
    // An existing folder is synced too, because the process that created it may have been killed before the name was durable.
    await syncFolder(parent);
    if (durable.size >= MAX_REMEMBERED) durable.clear();
    durable.add(path);
  }

  return {
    /**
     * Resolves with the path of a folder below the root. Missing parts are created, and all parts are durable. Throws `artifact`
     * if a part is a link or a file. The root itself may be a link, because its owner chose it.
     */
    async make(parts: readonly string[]): Promise<string> {
      let path = root;
      for (const part of parts) {
        const parent = path;
        path = join(parent, part);
        await makePart(parent, path);
      }
      return path;
    },
  };
}

/** Resolves with the path of a folder below `root`, or undefined if a part of the path is missing or is not a folder. */
export async function findFolder(
  root: string,
  parts: readonly string[],
): Promise<string | undefined> {
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    if (!(await isFolder(path, () => false))) return undefined;
  }
  return path;
}

async function isFolder(path: string, onOther = refuseOther): Promise<boolean> {
  try {
    const found = await lstat(path);
    return found.isDirectory() || onOther();
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

function refuseOther(): boolean {
  throw new BridgeError(
    'artifact',
    'the path of an artifact folder is a link or a file; a folder is required',
  );
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another writer may have created the name first. An existing folder is used. Any other entry is rejected.
    if (errorCode(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

async function makeRoot(root: string, mode: number): Promise<void> {
  const firstMade = await mkdir(root, { recursive: true, mode });
  if (firstMade === undefined) return;
  // Sync the parent of each new folder, so that the names of the folders are durable.
  for (let path = root; path !== dirname(firstMade); path = dirname(path)) {
    await syncFolder(dirname(path));
  }
}
