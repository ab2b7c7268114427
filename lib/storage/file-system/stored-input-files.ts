import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { StoredInputFiles } from '../../inputs/stored-inputs-port.ts';
import type { Clock } from '../../platform/clock.ts';
import { renameDurably, syncFolder, writeNewFile } from '../../platform/durable-file.ts';
import { toFileStamp } from '../../platform/file-stamp.ts';
import { asStateError } from './file-errors.ts';
import {
  createFolderMaker,
  type FolderMaker,
  findFolder,
  readChecked,
  readWhole,
  statNameNow,
  unlinkIfPresent,
} from './files.ts';

interface Deps {
  /** `state.directory`. The folder for images in this directory is created with the first image. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const SHA256 = /^[0-9a-f]{64}$/;
const FOLDER = 'inputs';
const STAGING = '.staging';
// Only the owner may read input images, like the database in the same directory.
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Stores input images of jobs as files below the state directory, in one folder for each first byte of the checksum. */
export function createStoredInputFiles({ directory, clock }: Deps): StoredInputFiles {
  const root = resolve(directory);
  const folders = createFolderMaker(root, FOLDER_MODE);

  return {
    isShared: false,
    put: (sha256, bytes) => asStateError(() => put(folders, sha256, bytes)),
    read: (sha256, byteLength) =>
      asStateError(async () => {
        const path = await pathOf(root, sha256);
        return path === undefined ? undefined : readChecked(path, byteLength, sha256);
      }),
    readWhole: (sha256, byteLength) =>
      asStateError(async () => {
        const path = await pathOf(root, sha256);
        return path === undefined ? undefined : readWhole(path, byteLength, clock);
      }),
    stamp: (sha256) =>
      asStateError(async () => {
        // Folders are not checked for links, because a file behind a link is another file with another stamp.
        const found = statNameNow(join(root, FOLDER, folderOf(sha256), sha256));
        return found?.isFile() ? toFileStamp(found) : undefined;
      }),
    async remove(sha256, isNeeded) {
      if (!(await isNeeded())) await asStateError(() => remove(root, sha256));
    },
    async *list() {
      for (const name of await asStateError(() => namesIn(root, [FOLDER]))) {
        const isOurs = (entry: string) =>
          SHA256.test(entry) && (name === STAGING || name === folderOf(entry));
        const entries = await asStateError(() => namesIn(root, [FOLDER, name]));
        const found = entries.filter(isOurs);
        if (found.length > 0) yield found;
      }
    },
  };
}

async function put(folders: FolderMaker, sha256: string, bytes: Buffer): Promise<void> {
  const folder = await folders.make([FOLDER, folderOf(sha256)]);
  const path = join(folder, sha256);
  // An existing file with this name is read and verified, because the file may have been changed.
  if ((await readChecked(path, bytes.length, sha256)) === undefined) {
    const staged = join(await folders.make([FOLDER, STAGING]), sha256);
    await unlinkIfPresent(staged);
    await writeNewFile(staged, bytes, FILE_MODE);
    await renameDurably(staged, path);
  } else {
    // The process that wrote the file may have been killed before the name was durable.
    await syncFolder(folder);
  }
}

/**
 * Removes the image. The removal is not made durable, because the next start finds and removes a file that reappeared after a
 * power failure.
 */
async function remove(root: string, sha256: string): Promise<void> {
  for (const name of [STAGING, folderOf(sha256)]) {
    const folder = await findFolder(root, [FOLDER, name]);
    if (folder !== undefined) await unlinkIfPresent(join(folder, sha256));
  }
}

async function pathOf(root: string, sha256: string): Promise<string | undefined> {
  const folder = await findFolder(root, [FOLDER, folderOf(sha256)]);
  return folder === undefined ? undefined : join(folder, sha256);
}

async function namesIn(root: string, parts: readonly string[]): Promise<readonly string[]> {
  const folder = await findFolder(root, parts);
  return folder === undefined ? [] : readdir(folder);
}

function folderOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error('the name of a stored image is not a checksum');
  return sha256.slice(0, 2);
}
