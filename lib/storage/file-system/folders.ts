import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { errorCode, isAbsence } from './file-errors.ts';

/**
 * The path of a folder below `root`, every part of it made, durably, where it lacks. Throws `artifact` when a link or a
 * file stands in its way. The root itself may be a link: that is its owner's choice.
 */
export async function makeFolder(root: string, parts: readonly string[]): Promise<string> {
  let path = root;
  for (const part of parts) {
    const parent = path;
    path = join(parent, part);
    if (await isFolder(path)) continue;
    // Only now: where a folder lies below it, the root is there.
    if (parent === root) await makeRoot(root);
    await makeOne(path);
    await syncFolder(parent);
  }
  return path;
}

/** The path of a folder below `root`; undefined when a part of it lacks or is no folder. */
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

/** Makes the names in a folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
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
  throw new BridgeError('artifact', 'a link or a file stands where an artifact folder should be');
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    // Somebody else was faster: a folder is as good as ours, anything else is refused.
    if (errorCode(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

async function makeRoot(root: string): Promise<void> {
  const firstMade = await mkdir(root, { recursive: true });
  if (firstMade === undefined) return;
  // The name of each new folder lies in its parent.
  for (let path = root; path !== dirname(firstMade); path = dirname(path)) {
    await syncFolder(dirname(path));
  }
}
