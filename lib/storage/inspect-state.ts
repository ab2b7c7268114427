import type { Config } from '../config/settings/settings.ts';
import type { Ids } from '../platform/ids.ts';
import { refuseEmptyState } from './open-stores.ts';
import { openStateDatabase, stateDatabaseFile } from './sqlite/database.ts';
import {
  copyState,
  findBrokenPages,
  findProblems,
  findSchema,
  rehearseMigration,
} from './sqlite/inspect-state.ts';
import { MIGRATIONS } from './sqlite/migrations.ts';
import { restoreState as restoreDatabase } from './sqlite/restore-state.ts';

type StateSettings = Pick<Config, 'state'>;
type StorageSettings = Pick<Config, 'state' | 'artifacts'>;

/**
 * Checks the state of a bridge that may be running, and returns one sentence for each problem. Throws `configuration` if the
 * state cannot be opened or has an older format.
 */
export function checkState({ state }: StateSettings): readonly string[] {
  return findProblems(stateDatabaseFile(state.directory));
}

/**
 * Copies the state of a bridge that may be running to a new file. Returns false, and does nothing, if the file exists. Throws
 * `configuration` if the state cannot be read or the copy cannot be written.
 */
export function backUpState({ state }: StateSettings, target: string): boolean {
  return copyState(stateDatabaseFile(state.directory), target);
}

/**
 * Replaces the state with a copy that `backUpState` made. Keeps the replaced database and returns its name, or undefined if no
 * database existed. The state directory must be locked for this process. Throws `configuration`, with nothing changed.
 */
export function restoreState({ state }: StateSettings, source: string): string | undefined {
  return restoreDatabase(stateDatabaseFile(state.directory), source);
}

/**
 * Checks every page of the state of a bridge that may be running, and returns one sentence for each problem. Throws
 * `configuration` if the state cannot be opened.
 */
export function quickCheckState({ state }: StateSettings): readonly string[] {
  return findBrokenPages(stateDatabaseFile(state.directory));
}

/**
 * Returns the format of the state and the newest format that this program knows. `present` is undefined if there is no state
 * yet. Throws `configuration` if the state cannot be opened, or if it is empty although there are artifacts.
 */
export function stateSchema(
  { state, artifacts }: StorageSettings,
  migrations = MIGRATIONS,
): {
  readonly present: number | undefined;
  readonly newest: number;
} {
  refuseEmptyState({ state, artifacts });
  return { present: findSchema(stateDatabaseFile(state.directory)), newest: migrations.length };
}

/** Migrates a copy of the state and returns one sentence for each problem. Throws `configuration` if the migration fails. */
export function tryMigration({ state }: StateSettings, migrations = MIGRATIONS): readonly string[] {
  return rehearseMigration(stateDatabaseFile(state.directory), migrations);
}

/**
 * Copies the state and migrates it to the newest format. The state directory must be locked for this process. Throws
 * `configuration`, with nothing changed.
 */
export async function migrateState(
  { state }: StateSettings,
  ids: Ids,
  migrations = MIGRATIONS,
): Promise<void> {
  await openStateDatabase({ file: stateDatabaseFile(state.directory), ids, migrations }).close();
}
