import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import { errorCode } from './error-code.ts';
import { CREATE_FLAGS, OWNER_FILE } from './owner-file.ts';

// Error codes of file systems that have no hard links, such as vfat, exFAT and some network mounts.
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Adds the name `target` to a written file on the same file system. The old name `path` may or may not remain. Never
 * replaces a file or a dangling link: returns false without any change if the name exists. Without hard links, an empty file
 * reserves the name for a moment and remains after a crash. Throws the error of the file system.
 */
export async function nameNewFile(path: string, target: string, makeLink = link): Promise<boolean> {
  try {
    // A link, unlike a rename, never replaces a file.
    await makeLink(path, target);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw error;
  }
  return takeName(path, target);
}

/**
 * Resolves with true if `target` may be a remainder of an interrupted `nameNewFile`: the file is empty, and the file system has no
 * hard links.
 */
export async function isLeftover(target: string, path: string, makeLink = link): Promise<boolean> {
  const found = await lstat(target).catch(() => undefined);
  if (!found?.isFile() || found.size > 0) return false;
  const probe = `${path}.link`;
  try {
    await makeLink(path, probe);
  } catch (error) {
    return NO_LINKS.includes(errorCode(error));
  }
  await unlink(probe);
  return false;
}

async function takeName(path: string, target: string): Promise<boolean> {
  try {
    await (await open(target, CREATE_FLAGS, OWNER_FILE)).close();
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    await rename(path, target);
    return true;
  } catch (error) {
    await unlink(target);
    throw error;
  }
}
