import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { errorCode } from '../../platform/error-code.ts';
import { OWNER_FOLDER } from '../../platform/owner-file.ts';
import { isAbsence } from './file-errors.ts';

// Folders that were seen to be durable; made again from nothing when there are too many to remember.
const MOST_REMEMBERED = 10_000;

/** Makes folders below a root that is made with the first of them. */
export interface FolderMaker {
  /**
   * The path of a folder below the root, every part of it made where it is missing, and durable. Throws `artifact` when a
   * link or a file is in the way. The root itself may be a link: that is its owner's choice.
   */
  make(parts: readonly string[]): Promise<string>;
}

/** `mode` is for the folders that are made; the rights of those that exist stay as they are. */
export function createFolderMaker(root: string, mode = OWNER_FOLDER): FolderMaker {
  const durable = new Set<string>();

  async function makePart(parent: string, path: string): Promise<void> {
    const exists = await isFolder(path);
    if (exists && durable.has(path)) return;
    if (!exists) {
      // Only now: where a folder lies below it, the root is there.
      if (parent === root) await makeRoot(root, mode);
      await makeOne(path, mode);
    }
    // Also for a folder that exists: the process that made it may have been killed before it was durable.
    await syncFolder(parent);
    if (durable.size >= MOST_REMEMBERED) durable.clear();
    durable.add(path);
  }

  return {
    async make(parts) {
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

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another writer was faster: a folder is as good as ours, anything else is refused.
    if (errorCode(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

async function makeRoot(root: string, mode: number): Promise<void> {
  const firstMade = await mkdir(root, { recursive: true, mode });
  if (firstMade === undefined) return;
  // The name of each new folder lies in its parent.
  for (let path = root; path !== dirname(firstMade); path = dirname(path)) {
    await syncFolder(dirname(path));
  }
}
