import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { chmod, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './error-code.ts';
import { nameNewFile } from './name-new-file.ts';
import { CREATE_FLAGS } from './owner-file.ts';

interface SaveOptions {
  /** True if an existing file is replaced. */
  readonly replaces: boolean;
  /** The permissions of the file, independent of the umask. The default is 0666 without the bits of the umask. */
  readonly mode?: number;
}

/**
 * Writes a whole file atomically and durably: even after a crash, the name refers either to the old content or to the new
 * content. A symbolic link is replaced, and its target does not change. Resolves with false, without any change, if the name
 * exists and `replaces` is false. A crash can leave a temporary folder beside the file. Throws the error of the file system.
 */
export async function saveFile(
  path: string,
  content: string | Uint8Array,
  { replaces, mode }: SaveOptions,
): Promise<boolean> {
  const folder = dirname(path);
  const temporary = await mkdtemp(join(folder, '.image-bridge-'));
  try {
    const fresh = join(temporary, 'file');
    await writeNewFile(fresh, content, mode ?? 0o666);
    // The umask may have removed permission bits.
    if (mode !== undefined) await chmod(fresh, mode);
    if (replaces) await rename(fresh, path);
    else if (!(await nameNewFile(fresh, path))) return false;
    await syncFolder(folder).catch((error) => {
      // The folder is writable but not readable, or its file system cannot sync a folder. The saved file is complete.
      if (!['EACCES', 'EINVAL'].includes(errorCode(error) ?? '')) throw error;
    });
    return true;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Creates a file and resolves when the bytes are durable. The name of the file is durable only after the folder is synced.
 * Throws the error of the file system, which is `EEXIST` if the name exists, even as a link.
 */
export async function writeNewFile(
  path: string,
  content: string | Uint8Array | readonly Uint8Array[],
  mode: number,
): Promise<void> {
  const file = await open(path, CREATE_FLAGS, mode);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Renames a file, replacing `target`, and resolves when the new name is durable. Both paths are on the same file system. */
export async function renameDurably(path: string, target: string): Promise<void> {
  await rename(path, target);
  await syncFolder(dirname(target));
}

/** Makes creations, renames and removals in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Makes changes in a folder, or the bytes of a file, durable before the function returns. */
export function syncPathNow(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
