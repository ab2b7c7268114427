import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { inspectState } from '../../../lib/storage/inspect-state.ts';
import { openFiles } from '../../../lib/storage/open-files.ts';
import { refuseLostState } from '../../../lib/storage/open-stores.ts';
import { type ArtifactReader, openArtifactReader } from '../../../lib/storage/read-artifacts.ts';
import { lockStateDirectory } from '../../server/locks/state-lock.ts';
import { isTaken } from '../files.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

const MIB = 1_048_576;
const MIN_FREE_BYTES = 100 * MIB;
const FEW_FREE_BYTES = 2048 * MIB;

/** Checks the folders that the bridge uses, their permissions and their free disk space. */
export function checkFolders({ config: { state, artifacts } }: Examined): readonly Finding[] {
  const hasFiles = artifacts.driver === 'folder';
  return [
    ...(hasFiles || state.driver === 'sqlite'
      ? checkFolder('state.directory', resolve(state.directory))
      : []),
    ...(hasFiles ? checkFolder('artifacts.root', resolve(artifacts.root)) : []),
  ];
}

function checkFolder(
  check: 'state.directory' | 'artifacts.root',
  path: string,
): readonly Finding[] {
  try {
    let nearest = path;
    while (!isTaken(nearest)) nearest = dirname(nearest);
    const found = statSync(nearest, { throwIfNoEntry: false });
    if (found === undefined) {
      const advice = `Create or mount the target of the link, or set ${check}.`;
      return [bad(check, `${nearest} is a broken link`, advice)];
    }
    if (!found.isDirectory()) {
      return [bad(check, `${nearest} is a file`, `Remove the file, or set ${check}.`)];
    }
    accessSync(nearest, constants.W_OK | constants.X_OK);
    const isMissing = nearest !== path;
    const isOpen = check === 'state.directory' && !isMissing && (found.mode & 0o077) !== 0;
    const state = isMissing ? 'does not exist yet and will be created' : 'is writable';
    const problem = `${path} contains prompts, and other users can access the folder`;
    return [
      isOpen ? warning(check, problem, `chmod 700 ${path}`) : good(check, `${path} ${state}`),
      checkFreeSpace(check, nearest),
    ];
  } catch {
    const advice = `Make the folder writable for the user that runs the bridge, or set ${check}.`;
    return [bad(check, `${path} is not writable by this user`, advice)];
  }
}

function checkFreeSpace(setting: string, folder: string): Finding {
  const check = `disk of ${setting}`;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const message = `${Math.floor(free / MIB)} MiB free`;
  const advice = 'Free disk space, or reduce the limits of artifacts.retention and server.jobs.';
  if (free < MIN_FREE_BYTES) return bad(check, message, advice);
  return free < FEW_FREE_BYTES ? warning(check, message, advice) : good(check, message);
}

/** Checks the schema and the page structure of the database. The command `state check` also checks the counters. */
export async function checkDatabase({ config, env }: Examined): Promise<Finding> {
  const { schema, quickCheck, restoreCommand } = await inspectState(config, env);
  try {
    await refuseLostState(config, env);
    const { present, newest } = await schema();
    if (present === undefined) return good('database', 'does not exist yet and will be created');
    const [damage] = await quickCheck();
    if (damage !== undefined) {
      const advice = `Stop the bridge, then run: ${restoreCommand}`;
      return bad('database', damage, advice);
    }
    if (present === newest) return good('database', `schema ${present}, the newest`);
    return warning(
      'database',
      `schema ${present}; the next start migrates it to ${newest}`,
      'Test the migration first: image-bridge state migrate --dry-run',
    );
  } catch (error) {
    const advice = `Use the version that wrote the database, or run: ${restoreCommand}`;
    return bad('database', toBridgeError(error).message, advice);
  }
}

/** Checks that the bucket can be reached and listed. Writes nothing; each start tests that the bucket can be written. */
export async function checkBucket({ config, clock }: Examined): Promise<readonly Finding[]> {
  if (config.artifacts.driver !== 's3') return [];
  const check = 'artifacts.s3';
  try {
    const ids = createIds(clock.nowMs);
    const { artifactFiles, close } = await openFiles(config, { clock, ids, isReadOnly: true });
    const isNew = await artifactFiles.isMissing().finally(close);
    return [good(check, isNew ? 'the bucket has no images yet' : 'the bucket can be read')];
  } catch (error) {
    const [problem = ''] = toBridgeError(error)
      .message.replace(/^artifacts\.s3: /, '')
      .split('; ');
    const advice =
      'Start the S3 server, or correct artifacts.s3 and the credentials, which must permit listing, reading, writing and deleting.';
    return [bad(check, problem, advice)];
  }
}

/** Checks whether the artifacts are there. Checks nothing if the database contains no artifacts. */
export async function checkArtifacts({
  config,
  clock,
  env,
}: Examined): Promise<readonly Finding[]> {
  let reader: ArtifactReader | undefined;
  try {
    reader = await openArtifactReader(config, { clock, env });
    const page = { untilSecs: Number.MAX_SAFE_INTEGER, limit: 1 };
    const oldest = (await reader?.artifacts.listByAge(page))?.[0];
    if (reader === undefined || oldest === undefined) return [];
    const isMissing = await reader.files.isMissing();
    if (config.artifacts.driver === 's3') {
      if (!isMissing) return [];
      const advice = 'Correct artifacts.s3.bucket and artifacts.s3.prefix, or restore the bucket.';
      return [bad('artifacts', 'the bucket does not contain the stored images', advice)];
    }
    if (!isMissing) return [good('artifacts', 'the folder exists')];
    const message = `${resolve(config.artifacts.root)} is missing or not mounted`;
    const advice =
      'Mount the folder. To continue without the stored images, create the folder with an empty folder .staging in it.';
    return [bad('artifacts', message, advice)];
  } catch {
    // `checkDatabase` reports a database that cannot be read.
    return [];
  } finally {
    await reader?.close();
  }
}

/**
 * Checks whether the state directory can be locked and whether a bridge is using the directory. Checks nothing if several bridges
 * may use the state.
 */
export async function checkStateLock({ config, env }: Examined): Promise<readonly Finding[]> {
  const { lockedFolder } = await inspectState(config, env);
  return lockedFolder === undefined ? [] : [checkLock(lockedFolder)];
}

function checkLock(folder: string): Finding {
  if (!existsSync(join(folder, 'lock'))) return good('state lock', 'free');
  try {
    const lock = lockStateDirectory(folder);
    if (!lock.ok) return good('state lock', 'held by a running bridge');
    lock.release();
    return good('state lock', 'free');
  } catch (error) {
    const advice =
      'Make the user that runs the bridge the owner of the file named lock in state.directory.';
    return bad('state lock', toBridgeError(error).message, advice);
  }
}
