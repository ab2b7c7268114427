import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nameNewFile } from '../lib/platform/name-new-file.ts';

/**
 * Writes a file that is whole under its name, or does not exist under it. False, and nothing done, when there is a file of
 * that name and `replaces` is false. Throws the error of the file system.
 */
export async function saveFile(
  path: string,
  bytes: Uint8Array,
  { replaces, mode = 0o666 }: { readonly replaces: boolean; readonly mode?: number },
): Promise<boolean> {
  const temporary = await mkdtemp(join(dirname(path), '.image-bridge-'));
  try {
    const written = join(temporary, 'file');
    const file = await open(written, 'wx', mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!replaces) return await nameNewFile(written, path);
    await rename(written, path);
    return true;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Why a file cannot be written or read, for the operator. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not';
    case 'EISDIR':
      return 'it is a folder';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'a part of its path is a file';
    case 'ENOSPC':
      return 'the disk is full';
    case 'EROFS':
      return 'the file system is read-only';
    default:
      return code;
  }
}
