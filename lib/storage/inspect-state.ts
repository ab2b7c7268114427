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
 * What is wrong with the state of a bridge that may be running, one sentence each; none when it is whole. Throws
 * `configuration` when it cannot be opened or has an older format.
 */
export function checkState({ state }: StateSettings): readonly string[] {
  return findProblems(stateDatabaseFile(state.directory));
}

/**
 * Copies the state of a bridge that may be running to a new file. False, and nothing done, when there is a file of that
 * name. Throws `configuration` when the state cannot be read or the copy cannot be written.
 */
export function backUpState({ state }: StateSettings, target: string): boolean {
  return copyState(stateDatabaseFile(state.directory), target);
}

/**
 * Replaces the state by what `backUpState` has copied, and keeps the replaced database under the name that is returned.
 * The state directory must be locked for this process. Throws `configuration`, and then nothing was changed.
 */
export function restoreState({ state }: StateSettings, source: string): string | undefined {
  return restoreDatabase(stateDatabaseFile(state.directory), source);
}

/**
 * Looks at every page of the state of a bridge that may be running, and returns what is wrong, one sentence each. Throws
 * `configuration` when it cannot be opened.
 */
export function quickCheckState({ state }: StateSettings): readonly string[] {
  return findBrokenPages(stateDatabaseFile(state.directory));
}

/**
 * The format of the state, and the one of this program; `present` is undefined where there is none yet. Throws
 * `configuration` when it cannot be opened, or is empty beside artifacts.
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

/** Migrates a copy and returns what is wrong with it, one sentence each. Throws `configuration` when that fails. */
export function tryMigration({ state }: StateSettings, migrations = MIGRATIONS): readonly string[] {
  return rehearseMigration(stateDatabaseFile(state.directory), migrations);
}

/**
 * Brings the state to the newest format, after a copy of it. The state directory must be locked for this process. Throws
 * `configuration`, and then nothing was changed.
 */
export async function migrateState(
  { state }: StateSettings,
  ids: Ids,
  migrations = MIGRATIONS,
): Promise<void> {
  await openStateDatabase({ file: stateDatabaseFile(state.directory), ids, migrations }).close();
}
