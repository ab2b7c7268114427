import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { StoredInputFiles } from '../../inputs/stored-inputs-port.ts';
import type { Clock } from '../../platform/clock.ts';
import { renameDurably, syncFolder, writeNewFile } from '../../platform/durable-file.ts';
import { toFileStamp } from '../../platform/file-stamp.ts';
import type { Ids } from '../../platform/ids.ts';
import { currentPeriod, isOver } from '../storing-period.ts';
import { asStateError } from './file-errors.ts';
import {
  createFolderMaker,
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
  /** The ids for names of temporary files if several replicas use the folder. Undefined if one process uses the folder. */
  readonly shared?: Pick<Ids, 'newOpaqueId'> | undefined;
}

const SHA256 = /^[0-9a-f]{64}$/;
// The checksum; in a shared folder also the period, and a random part while the file is staged.
const COPY = /^([0-9a-f]{64})(?:\.(\d+)(?:\.[0-9a-f-]+)?)?$/;
const FOLDER = 'inputs';
const STAGING = '.staging';
// Only the owner may read input images, like the database in the same directory.
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Stores input images of jobs as files below the state directory, in one folder for each first byte of the checksum.
 *
 * In a shared folder, each period of ten minutes has a separate file of an image. A replica that accepts a job relies on the file
 * of the current period. Other replicas do not know the job yet, so a removal never removes the files of the last two periods.
 * Older files of the same image are removed when a newer file exists. A folder that becomes shared, or is not shared any longer,
 * keeps its images.
 */
export function createStoredInputFiles(deps: Deps): StoredInputFiles {
  const { directory, clock, shared } = deps;
  const isShared = shared !== undefined;
  const root = resolve(directory);
  const folders = createFolderMaker(root, FOLDER_MODE);
  const { nameOf, listRemovable, readNewest } = createCopies({ root, clock, isShared });

  async function put(sha256: string, bytes: Buffer): Promise<void> {
    const folder = await folders.make([FOLDER, folderOf(sha256)]);
    const name = nameOf(sha256);
    const path = join(folder, name);
    // An existing file with this name is read and verified, because the file may have been changed.
    if ((await readChecked(path, bytes.length, sha256)) !== undefined) {
      // The process that wrote the file may have been killed before the name was durable.
      await syncFolder(folder);
      return;
    }
    const staging = await folders.make([FOLDER, STAGING]);
    // Another replica may be storing the same image.
    const staged = join(staging, shared ? `${name}.${shared.newOpaqueId()}` : name);
    await unlinkIfPresent(staged);
    try {
      await writeNewFile(staged, bytes, FILE_MODE);
      await renameDurably(staged, path);
    } catch (error) {
      await unlinkIfPresent(staged).catch(() => undefined);
      throw error;
    }
    // Files that cannot be removed now are removed with the image.
    if (isShared) {
      await listRemovable(sha256)
        .then(removeAll)
        .catch(() => undefined);
    }
  }

  return {
    isShared,
    put: (sha256, bytes) => asStateError(() => put(sha256, bytes)),
    read: (sha256, byteLength) =>
      asStateError(() => readNewest(sha256, (path) => readChecked(path, byteLength, sha256))),
    readWhole: (sha256, byteLength) =>
      asStateError(() => readNewest(sha256, (path) => readWhole(path, byteLength, clock))),
    stamp: (sha256) =>
      asStateError(
        async () =>
          // Folders are not checked for links, because a file behind a link is another file with another stamp.
          stampOf(join(root, FOLDER, folderOf(sha256), nameOf(sha256))) ??
          readNewest(sha256, async (path) => stampOf(path)),
      ),
    async remove(sha256, isNeeded) {
      // Listed first: what another replica stores while `isNeeded` runs is not in the list.
      const found = isShared ? await asStateError(() => listRemovable(sha256)) : undefined;
      if (found?.length === 0 || (await isNeeded())) return;
      await asStateError(async () => removeAll(found ?? (await listRemovable(sha256))));
    },
    async *list() {
      for (const name of await asStateError(() => namesIn(root, [FOLDER]))) {
        const entries = await asStateError(() => namesIn(root, [FOLDER, name]));
        const found = entries
          .map((entry) => COPY.exec(entry)?.[1] ?? '')
          .filter(
            (sha256) => SHA256.test(sha256) && (name === STAGING || name === folderOf(sha256)),
          );
        if (found.length > 0) yield [...new Set(found)];
      }
    },
  };
}

interface CopiesDeps extends Pick<Deps, 'clock'> {
  readonly root: string;
  readonly isShared: boolean;
}

/** Creates the functions that find the files of an image: one file, or in a shared folder one file for each period. */
function createCopies({ root, clock, isShared }: CopiesDeps) {
  /** Returns the name under which an image is stored now. */
  const nameOf = (sha256: string) => (isShared ? `${sha256}.${currentPeriod(clock)}` : sha256);

  /** Resolves with the paths of the files of an image in a folder, newest first. */
  async function listCopies(sha256: string, folder: string): Promise<readonly string[]> {
    const names = await namesIn(root, [FOLDER, folder]);
    const copies = names.filter((name) => COPY.exec(name)?.[1] === sha256);
    return copies
      .sort()
      .reverse()
      .map((name) => join(root, FOLDER, folder, name));
  }

  /** Resolves with the paths of the files of an image that may be removed if no job needs the image. */
  async function listRemovable(sha256: string): Promise<readonly string[]> {
    const current = currentPeriod(clock);
    const staged = await listCopies(sha256, STAGING);
    const copies = [...staged, ...(await listCopies(sha256, folderOf(sha256)))];
    return isShared ? copies.filter((copy) => isOver(periodOf(copy), current)) : copies;
  }

  /** Resolves with the first result of `read` for a file of the image, newest first, or undefined if `read` finds none. */
  async function readNewest<T>(
    sha256: string,
    read: (path: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const folder = await findFolder(root, [FOLDER, folderOf(sha256)]);
    if (folder === undefined) return undefined;
    // The usual file is found without a list.
    const usual = await read(join(folder, nameOf(sha256)));
    if (usual !== undefined) return usual;
    // The files may be replaced by a newer file between the list and the read.
    for (let tries = 0; tries < 2; tries += 1) {
      for (const copy of await listCopies(sha256, folderOf(sha256))) {
        const found = await read(copy);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  return { nameOf, listRemovable, readNewest };
}

/**
 * Removes the files. The removal is not made durable, because the next sweep finds and removes a file that reappeared after a
 * power failure.
 */
async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await unlinkIfPresent(path);
}

/** Returns the stamp of a regular file. Undefined if the file does not exist. */
function stampOf(path: string): string | undefined {
  const found = statNameNow(path);
  return found?.isFile() ? toFileStamp(found) : undefined;
}

/** Returns the period of a file. Zero if the file was stored when the folder was not shared. */
function periodOf(path: string): number {
  return Number(COPY.exec(basename(path))?.[2] ?? 0);
}

async function namesIn(root: string, parts: readonly string[]): Promise<readonly string[]> {
  const folder = await findFolder(root, parts);
  return folder === undefined ? [] : readdir(folder);
}

function folderOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error('the name of a stored image is not a checksum');
  return sha256.slice(0, 2);
}
