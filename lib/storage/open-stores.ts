import { resolve } from 'node:path';
import type { Config } from '../config/settings/settings.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { hasArtifacts, refuseArtifactRoot } from './file-system/artifact-files.ts';
import { inspectState } from './inspect-state.ts';
import { openFiles } from './open-files.ts';
import { stateDatabaseFile } from './sqlite/database.ts';
import { isDamage, toOpenError } from './sqlite/driver-errors.ts';
import { startSqlite } from './sqlite/open-state.ts';
import type { StorageThread } from './storage-thread.ts';
import type { Environment, FileStores, ServerWarning, StateStores } from './stores.ts';

/** The settings that locate the stores. */
type StorageSettings = Pick<Config, 'state' | 'artifacts' | 'replica' | 'runtime'>;

interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: Environment;
  /** Reports that the index of the job search failed. Searches are slower without the index. */
  readonly onIndexFailure: (error: unknown) => void;
  /** Reports that notifications of other replicas do not arrive. Called once until they arrive again. */
  readonly onListenFailure?: ((error: unknown) => void) | undefined;
  /** Reports a property of the database server that does not prevent the start. Called only during the start. */
  readonly onWarning?: ((warning: ServerWarning) => void) | undefined;
  /**
   * Called once if a storage thread has ended by itself. Acknowledged writes are durable, and all later calls are rejected, so
   * the process must end.
   */
  readonly onThreadFailure?: ((error: unknown) => void) | undefined;
  /**
   * True (the default) if the database is opened on separate threads. False if the database is opened on the caller's thread,
   * which waits for the disk at each commit.
   */
  readonly thread?: boolean;
}

/** All stores, each behind its port. */
export interface Stores extends StateStores, Omit<FileStores, 'close'> {}

/** Throws `configuration` if `openStores` would reject the existing state or artifacts. Changes nothing. */
export async function refuseForeignStores(
  settings: StorageSettings,
  env: Environment,
): Promise<void> {
  await (await inspectState(settings, env)).refuseForeign();
  if (settings.artifacts.driver === 'folder') refuseArtifactRoot(settings.artifacts.root);
  await refuseLostState(settings, env);
}

/**
 * Throws `configuration` if the state has lost its content although there are artifacts, because a new state would not list the
 * artifacts. Changes nothing.
 */
export async function refuseLostState(settings: StorageSettings, env: Environment): Promise<void> {
  const { findLoss, restoreCommand } = await inspectState(settings, env);
  const { driver, root } = settings.artifacts;
  const loss = await findLoss();
  if (loss === undefined || driver !== 'folder' || !hasArtifacts(root)) return;
  throw new BridgeError(
    'configuration',
    `state.directory: ${loss}, but ${resolve(root)} contains artifacts; restore a backup with: ${restoreCommand} (or remove the empty file to start without the artifacts)`,
  );
}

/**
 * Converts an error caused by a damaged page to an error that names the database and the remedy. Returns any other error
 * unchanged.
 */
export function nameDamage(thrown: unknown, { state }: Pick<StorageSettings, 'state'>): unknown {
  return isDamage(thrown) ? toOpenError(thrown, stateDatabaseFile(state.directory)) : thrown;
}

/**
 * Opens every store in the newest format, and creates missing stores. The state directory must be locked for this process,
 * because afterwards all rows of other processes count as abandoned. Throws `configuration` or `overloaded`.
 */
export function openStores(settings: StorageSettings, outside: Outside): Promise<Stores> {
  return startStorage(outside).open(settings, outside);
}

/**
 * Starts the storage thread before the stores are opened, unless the caller has `started` the thread. `open` opens the stores as
 * `openStores` does. `close` ends the thread if the stores are not opened.
 */
export function startStorage(
  { thread = true }: Pick<Outside, 'thread'> = {},
  started?: StorageThread,
) {
  const sqlite = startSqlite(thread, started);

  async function openState(settings: StorageSettings, outside: Outside): Promise<StateStores> {
    if (settings.state.driver === 'sqlite') return sqlite.open(settings.state, outside);
    await sqlite.close();
    // Loaded only if needed, because most bridges use SQLite.
    const { openPostgres } = await import('./postgres/open-state.ts');
    return openPostgres(settings, outside);
  }

  return {
    async open(settings: StorageSettings, outside: Outside): Promise<Stores> {
      const { close: closeFiles, ...files } = await openFiles(settings, outside);
      try {
        const state = await openState(settings, outside);
        return {
          ...state,
          ...files,
          async close() {
            await state.close();
            closeFiles();
          },
        };
      } catch (error) {
        closeFiles();
        throw error;
      }
    },

    close: sqlite.close,
  };
}
