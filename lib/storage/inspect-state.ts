import type { Config } from '../config/settings/settings.ts';
import { stateDatabaseFile } from './sqlite/database.ts';
import { copyState, findProblems } from './sqlite/inspect-state.ts';

/**
 * What is wrong with the state of a bridge that may be running, one sentence each; none when it is whole. Throws
 * `configuration` when it cannot be opened or has an older format.
 */
export function checkState({ state }: Pick<Config, 'state'>): readonly string[] {
  return findProblems(stateDatabaseFile(state.directory));
}

/**
 * Copies the state of a bridge that may be running to a new file. False, and nothing done, when there is a file of that
 * name. Throws `configuration` when the state cannot be read or the copy cannot be written.
 */
export function backUpState({ state }: Pick<Config, 'state'>, target: string): boolean {
  return copyState(stateDatabaseFile(state.directory), target);
}
