import { lstatSync } from 'node:fs';
import { readRegularFile } from '../../lib/platform/regular-file.ts';

/** Returns the reason of a file system error for the operator. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'a part of the path is a file';
    case 'ENOSPC':
      return 'no space left on the disk';
    case 'EROFS':
      return 'read-only file system';
    default:
      return code;
  }
}

/** Reads a regular file. Resolves with its bytes, or with the problem, to be printed after its name. */
export async function readWholeFile(path: string, maxBytes: number): Promise<Buffer | string> {
  const found = await readRegularFile(path, { maxBytes });
  if ('bytes' in found) return found.bytes;
  switch (found.problem) {
    case 'irregular':
      return 'is not a regular file';
    case 'too_large':
      return `is longer than ${maxBytes} bytes`;
    default:
      return 'cannot be read';
  }
}

/** Returns true if the path exists, even as a broken link. Returns false if its folder cannot be searched. */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
