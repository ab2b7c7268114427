import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { toBridgeError } from '../../lib/errors/bridge-error.ts';
import { quickCheckState, stateSchema } from '../../lib/storage/inspect-state.ts';
import { type ArtifactReader, openArtifactReader } from '../../lib/storage/read-artifacts.ts';
import { isTaken } from '../is-taken.ts';
import { lockStateDirectory } from '../locks/state-lock.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

const MIB = 1_048_576;
const LEAST_FREE_BYTES = 100 * MIB;
const FEW_FREE_BYTES = 2048 * MIB;

/** The folders that the bridge writes to, their owner's rights and their disk. */
export function checkFolders({ config: { state, artifacts } }: Examined): readonly Finding[] {
  const isPrivate = true;
  return [
    ...checkFolder('state.directory', state.directory, { isPrivate }),
    ...checkFolder('artifacts.root', artifacts.root, { isPrivate: !isPrivate }),
  ];
}

function checkFolder(
  check: string,
  folder: string,
  { isPrivate }: { readonly isPrivate: boolean },
): readonly Finding[] {
  const path = resolve(folder);
  try {
    const nearest = nearestExisting(path);
    const found = statSync(nearest, { throwIfNoEntry: false });
    if (found === undefined) {
      const advice = `Make or mount what it leads to, or set ${check}.`;
      return [bad(check, `${nearest} is a link that leads nowhere`, advice)];
    }
    if (!found.isDirectory()) {
      return [bad(check, `${nearest} is a file`, `Remove it, or set ${check}.`)];
    }
    accessSync(nearest, constants.W_OK | constants.X_OK);
    const isMissing = nearest !== path;
    const isOpen = isPrivate && !isMissing && (found.mode & 0o077) !== 0;
    const state = isMissing ? 'does not exist yet; it will be made' : 'can be written';
    return [
      isOpen
        ? warning(check, `${path} is open to other users, and holds prompts`, `chmod 700 ${path}`)
        : good(check, `${path} ${state}`),
      checkFreeSpace(check, nearest),
    ];
  } catch {
    const advice = `Give it to the user that serves, or set ${check}.`;
    return [bad(check, `${path} cannot be written by this user`, advice)];
  }
}

function nearestExisting(path: string): string {
  let nearest = path;
  while (!isTaken(nearest)) nearest = dirname(nearest);
  return nearest;
}

function checkFreeSpace(setting: string, folder: string): Finding {
  const check = `disk of ${setting}`;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const message = `${Math.floor(free / MIB)} MiB are free`;
  const advice = 'Free some space, or lower artifacts.retention and server.jobs limits.';
  if (free < LEAST_FREE_BYTES) return bad(check, message, advice);
  return free < FEW_FREE_BYTES ? warning(check, message, advice) : good(check, message);
}

/** The schema of the database and the form of its pages; what they count is for `state check`. */
export function checkDatabase({ config }: Examined): Finding {
  try {
    const { present, newest } = stateSchema(config);
    if (present === undefined) return good('database', 'there is none yet; it will be made');
    const [damage] = quickCheckState(config);
    if (damage !== undefined) {
      const advice = 'Stop the bridge, then use: image-bridge state restore FILE';
      return bad('database', damage, advice);
    }
    if (present === newest) return good('database', `schema ${present}, the newest`);
    return warning(
      'database',
      `schema ${present}, and the next start migrates it to ${newest}`,
      'Try it before with: image-bridge state migrate --dry-run',
    );
  } catch (error) {
    const advice = 'Start the version that wrote it, or use: image-bridge state restore FILE';
    return bad('database', toBridgeError(error).message, advice);
  }
}

/** Whether the folder of the artifacts is there, once the database names any. */
export async function checkArtifacts({ config, clock }: Examined): Promise<readonly Finding[]> {
  let reader: ArtifactReader | undefined;
  try {
    reader = openArtifactReader(config, clock);
    const page = { untilSecs: Number.MAX_SAFE_INTEGER, limit: 1 };
    const oldest = (await reader?.store.listByAge(page))?.[0];
    if (reader === undefined || oldest === undefined) return [];
    if (!(await reader.files.isMissing())) return [good('artifacts', 'their folder is there')];
    const message = `${resolve(config.artifacts.root)} is missing or not mounted`;
    const advice =
      'Mount it. To continue without the stored images, make a folder named .staging in an empty one.';
    return [bad('artifacts', message, advice)];
  } catch {
    // What is wrong with the database, its own check says.
    return [];
  } finally {
    reader?.close();
  }
}

/** Whether a bridge uses the state directory. */
export function checkStateLock({ config: { state } }: Examined): Finding {
  if (!existsSync(join(state.directory, 'lock'))) return good('state lock', 'it is free');
  try {
    const lock = lockStateDirectory(state.directory);
    if (!lock.ok) return good('state lock', 'a running bridge holds it');
    lock.release();
    return good('state lock', 'it is free');
  } catch (error) {
    const advice = 'The file lock in state.directory must belong to the user that serves.';
    return bad('state lock', toBridgeError(error).message, advice);
  }
}
