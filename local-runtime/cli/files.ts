import { lstatSync } from 'node:fs';
import { errorCode } from '../../lib/platform/error-code.ts';
import { readRegularFile } from '../../lib/platform/regular-file.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'the path is a folder',
  EEXIST: 'a part of the path is a file',
  ENOTDIR: 'a part of the path is a file',
  ENOSPC: 'no space left on the disk',
  EROFS: 'read-only file system',
};

/** Returns the reason of a file system error, as a phrase for the operator. */
export function fileReason(error: unknown): string {
  const code = errorCode(error) ?? '';
  return REASONS[code] ?? code;
}

/** Reads a regular file. Resolves with the bytes of the file, or with a problem to be printed after the name of the file. */
export async function readWholeFile(path: string, maxBytes: number): Promise<Buffer | string> {
  const found = await readRegularFile(path, { maxBytes });
  if ('bytes' in found) return found.bytes;
  if (found.problem === 'irregular') return 'is not a regular file';
  return found.problem === 'too_large' ? `is longer than ${maxBytes} bytes` : 'cannot be read';
}

/** Returns true if the path exists, even as a broken link. Returns false if its folder cannot be searched. */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
