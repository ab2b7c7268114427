import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorCode } from './error-code.ts';

/**
 * The flags that open a file for reading. Without O_NONBLOCK, opening a named pipe would wait until another program opens the
 * pipe for writing.
 */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

interface ReadOptions {
  readonly maxBytes: number;
  /** True if a symbolic link in the place of the file is rejected. The folders of the path may be links. */
  readonly rejectsLink?: boolean;
}

/** The content of a file, and its status before the file was read. */
interface ReadFile {
  readonly bytes: Buffer;
  readonly status: BigIntStats;
}

/** Reason why a file is not read. `cause` is the error of the file system, which contains the path. */
export interface FileProblem {
  readonly problem: 'absent' | 'irregular' | 'too_large' | 'unreadable';
  readonly cause?: unknown;
}

/** Reads a whole regular file of at most `maxBytes` bytes. Never waits for a named pipe. Resolves with the file or the problem. */
export async function readRegularFile(
  path: string,
  { maxBytes, rejectsLink = false }: ReadOptions,
): Promise<ReadFile | FileProblem> {
  try {
    const file = await open(path, readFlags(rejectsLink));
    try {
      const status = await file.stat({ bigint: true });
      return problemOf(status, maxBytes) ?? checked(await file.readFile(), status, maxBytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    return toProblem(error);
  }
}

/** Reads a file like `readRegularFile`, but synchronously. */
export function readRegularFileNow(
  path: string,
  { maxBytes, rejectsLink = false }: ReadOptions,
): ReadFile | FileProblem {
  try {
    const file = openSync(path, readFlags(rejectsLink));
    try {
      const status = fstatSync(file, { bigint: true });
      return problemOf(status, maxBytes) ?? checked(readFileSync(file), status, maxBytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return toProblem(error);
  }
}

function readFlags(rejectsLink: boolean): number {
  return rejectsLink ? READ_FLAGS | constants.O_NOFOLLOW : READ_FLAGS;
}

function problemOf(status: BigIntStats, maxBytes: number): FileProblem | undefined {
  if (!status.isFile()) return { problem: 'irregular' };
  return status.size > maxBytes ? { problem: 'too_large' } : undefined;
}

/**
 * Checks the size again, because the file may have grown meanwhile, and because a file below /proc contains more bytes than its
 * size says.
 */
function checked(bytes: Buffer, status: BigIntStats, maxBytes: number): ReadFile | FileProblem {
  return bytes.length > maxBytes ? { problem: 'too_large' } : { bytes, status };
}

function toProblem(cause: unknown): FileProblem {
  switch (errorCode(cause)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { problem: 'absent', cause };
    // `ELOOP`: a rejected link, or a link to itself. `ENXIO`: a socket, or a device without a driver.
    case 'ELOOP':
    case 'ENXIO':
      return { problem: 'irregular', cause };
    default:
      return { problem: 'unreadable', cause };
  }
}
