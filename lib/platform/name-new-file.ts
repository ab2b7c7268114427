import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import { CREATE_FLAGS, OWNER_FILE } from './owner-file.ts';

// What file systems without hard links reply: vfat, exFAT, some network mounts.
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Gives a written file another name on the same file system; whether the first one stays is not promised. Replaces nothing,
 * not even a link that leads nowhere: false, and nothing changed, when the name is taken. Where there are no hard links,
 * an empty file holds the name for a moment, and a crash in it leaves that. Throws the error of the file system.
 */
export async function nameNewFile(path: string, target: string, makeLink = link): Promise<boolean> {
  try {
    // Unlike a rename it never replaces a file.
    await makeLink(path, target);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw error;
  }
  return takeName(path, target);
}

/**
 * Whether a file is what `nameNewFile` may have left when it was cut off before `path` had that name: it is empty, and there
 * are no hard links.
 */
export async function isLeftover(target: string, path: string, makeLink = link): Promise<boolean> {
  const found = await lstat(target).catch(() => undefined);
  if (!found?.isFile() || found.size > 0) return false;
  const probe = `${path}.link`;
  try {
    await makeLink(path, probe);
  } catch (error) {
    return NO_LINKS.includes(codeOf(error));
  }
  await unlink(probe);
  return false;
}

async function takeName(path: string, target: string): Promise<boolean> {
  try {
    await (await open(target, CREATE_FLAGS, OWNER_FILE)).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
