import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { access, type link, readdir, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ArtifactFiles, PublishedFile } from '../../artifacts/artifact-files-port.ts';
import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { syncFolder, writeNewFile } from '../../platform/durable-file.ts';
import { errorCode } from '../../platform/error-code.ts';
import { toFileStamp } from '../../platform/file-stamp.ts';
import type { Ids } from '../../platform/ids.ts';
import { isLeftover, nameNewFile } from '../../platform/name-new-file.ts';
import { OWNER_FILE, OWNER_FOLDER } from '../../platform/owner-file.ts';
import { splitName } from '../artifact-path.ts';
import { currentPeriod, isOver } from '../storing-period.ts';
import { asArtifactError } from './file-errors.ts';
import {
  createFolderMaker,
  findFolder,
  hasChecksum,
  isSameFile,
  readWhole,
  statName,
  statNameNow,
  unlinkIfPresent,
  writeZeros,
} from './files.ts';

interface Deps {
  /** `artifacts.root`. The folder is created with the first artifact. */
  readonly root: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** `artifacts.permissions`. `owner` by default. */
  readonly permissions?: Permissions;
  /** The ids for names of temporary files if several replicas use the folder. Undefined if one process uses the folder. */
  readonly shared?: Pick<Ids, 'newOpaqueId'> | undefined;
  /** Creates a hard link. The default is `link` of `node:fs/promises`. */
  readonly makeLink?: typeof link;
}

type Permissions = Config['artifacts']['permissions'];

/** The permissions of new files and folders, before the umask of the process. */
const MODES: Readonly<Record<Permissions, { readonly file: number; readonly folder: number }>> = {
  owner: { file: OWNER_FILE, folder: OWNER_FOLDER },
  umask: { file: 0o666, folder: 0o777 },
};

// The name begins with a dot, because no part of a name chosen by a caller may begin with a dot.
const STAGING = ['.staging'];

// The name of the probe file in `.staging`, followed in a shared folder by a period and a random part. No artifact has this id.
const PROBE = 'probe';

/**
 * Throws `configuration` if `artifacts.root` is not a folder, cannot be created as one, or cannot be written. Changes nothing.
 */
export function refuseArtifactRoot(root: string): void {
  const path = resolve(root);
  let nearest = path;
  try {
    nearest = nearestExisting(path);
    if (statSync(nearest).isDirectory()) {
      accessSync(nearest, constants.W_OK | constants.X_OK);
      return;
    }
  } catch (cause) {
    const message = `artifacts.root: ${path} cannot be written (${errorCode(cause) ?? 'unknown'})`;
    throw new BridgeError('configuration', message);
  }
  throw new BridgeError('configuration', `artifacts.root: ${nearest} is a file, not a folder`);
}

/** Returns true if artifacts were ever stored below this root. */
export function hasArtifacts(root: string): boolean {
  return existsSync(join(root, ...STAGING));
}

/** Returns the root, or the nearest existing folder above it, because the root is created with the first artifact. */
function nearestExisting(path: string): string {
  let nearest = path;
  while (statSync(nearest, { throwIfNoEntry: false }) === undefined) nearest = dirname(nearest);
  return nearest;
}

/**
 * Stores artifacts as files below one folder. A staged file gets its final name as a second hard link, or by a rename if the
 * file system has no hard links.
 */
export function createArtifactFiles(deps: Deps): ArtifactFiles {
  const root = resolve(deps.root);
  const { clock, makeLink, permissions = 'owner', shared } = deps;
  const modes = MODES[permissions];
  const folders = createFolderMaker(root, modes.folder);

  return {
    isShared: shared !== undefined,
    missingMessage: 'artifacts.root: the folder is missing or not mounted',
    prepare: () => asArtifactError(async () => void (await folders.make(STAGING))),
    probe: (bytes) =>
      asArtifactError(() =>
        probe(root, bytes, shared && { period: currentPeriod(clock), id: shared.newOpaqueId() }),
      ),
    isMissing: () => asArtifactError(async () => (await findFolder(root, STAGING)) === undefined),
    findTaken: (names) =>
      asArtifactError(async () => {
        const found = await Promise.all(names.map((name) => statName(pathOf(root, name))));
        return new Set(names.filter((_, index) => found[index] !== undefined));
      }),
    stage: (id, ...parts) =>
      asArtifactError(async () => {
        const path = join(await stagingFolder(root), id);
        try {
          await writeNewFile(path, parts, modes.file);
        } catch (failure) {
          // A part of the file would fill a full disk further, and would keep its name from the next try.
          if (errorCode(failure) !== 'EEXIST') await unlinkIfPresent(path).catch(() => {});
          throw failure;
        }
      }),
    publish: (id, name) =>
      asArtifactError(async () => {
        const { folder, filename } = splitName(name);
        const staged = join(await stagingFolder(root), id);
        return nameNewFile(staged, join(await folders.make(folder), filename), makeLink);
      }),
    settle: (files) => asArtifactError(() => settle(root, files)),
    remove: (file) => asArtifactError(() => remove(root, file, makeLink)),
    stamp: (name) =>
      asArtifactError(async () => {
        // Folders are not checked for links, because a file behind a link is another file with another stamp.
        const found = statNameNow(pathOf(root, name));
        return found?.isFile() ? toFileStamp(found) : undefined;
      }),
    read: (name, bytes) =>
      asArtifactError(async () => {
        const { folder, filename } = splitName(name);
        const path = await findFolder(root, folder);
        return path === undefined ? undefined : readWhole(join(path, filename), bytes, clock);
      }),
  };
}

/** Tests that a file of this many bytes can be written. In a shared folder, several replicas test at the same time. */
async function probe(
  root: string,
  bytes: number,
  own: { readonly period: number; readonly id: string } | undefined,
): Promise<void> {
  const folder = await findFolder(root, STAGING);
  if (folder === undefined) {
    if ((await statName(join(root, ...STAGING))) !== undefined) {
      throw new BridgeError('artifact', '.staging is a link or a file, not a folder', {
        details: { reason: 'artifact_folder_unusable' },
      });
    }
    await access(nearestExisting(root), constants.W_OK | constants.X_OK);
    return;
  }
  const name = own ? `${PROBE}.${own.period}.${own.id}` : PROBE;
  const path = join(folder, name);
  // A killed process may have left its file.
  if (own) await removeOldProbes(folder, own.period);
  else await unlinkIfPresent(path);
  try {
    await writeZeros(path, bytes);
  } finally {
    await unlinkIfPresent(path);
  }
}

async function removeOldProbes(folder: string, current: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const [probe, period] = name.split('.');
    if (probe === PROBE && isOver(Number(period ?? 0), current)) {
      await unlinkIfPresent(join(folder, name));
    }
  }
}

async function settle(root: string, files: readonly PublishedFile[]): Promise<void> {
  const touched = new Set(files.map(({ name }) => join(root, ...splitName(name).folder)));
  for (const folder of touched) await syncFolder(folder);
  for (const { id } of files) await unlinkIfPresent(join(root, ...STAGING, id));
}

/** Removes the name before the staged file, because the staged file proves which file belongs to the artifact. */
async function remove(root: string, file: PublishedFile, makeLink?: typeof link): Promise<void> {
  const stagedFile = join(await stagingFolder(root), file.id);
  const found = await statName(stagedFile);
  const staged = found?.isFile() ? found : undefined;

  const { folder, filename } = splitName(file.name);
  const path = await findFolder(root, folder);
  if (path !== undefined) {
    const target = join(path, filename);
    const isOurs =
      staged === undefined
        ? await hasChecksum(target, file)
        : (await isSameFile(target, staged)) || (await isLeftover(target, stagedFile, makeLink));
    if (isOurs) {
      await unlink(target);
      // Make the removal durable before the row is deleted, because a power failure must not restore a file without a row.
      await syncFolder(path);
    }
  }
  if (staged !== undefined) await unlinkIfPresent(stagedFile);
}

/** Resolves with the staging folder. Throws `artifact` if the folder is missing, because only `prepare` creates the folder. */
async function stagingFolder(root: string): Promise<string> {
  const folder = await findFolder(root, STAGING);
  if (folder !== undefined) return folder;
  throw new BridgeError('artifact', 'artifacts.root: the folder is missing or not mounted', {
    details: { reason: 'artifact_folder_unusable' },
  });
}

function pathOf(root: string, name: string): string {
  const { folder, filename } = splitName(name);
  return join(root, ...folder, filename);
}
