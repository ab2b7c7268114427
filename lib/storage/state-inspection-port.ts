import type { MoveSource, MoveTarget } from './state-move-port.ts';
import type { StateReader } from './state-reader-port.ts';

/**
 * Maintenance of a state that this process does not serve, for commands and for the checks before a start. A bridge may be
 * using the state, except during `restore`, `migrate`, `moveOut` and `moveIn`. Every method throws `configuration` if the state
 * cannot be opened. If the driver cannot offer a method, the method throws `configuration` and its message names the command to
 * use instead.
 */
export interface StateInspection {
  /** Folder to lock before the state is served, restored or migrated. Undefined if several processes may serve the state. */
  readonly lockedFolder: string | undefined;
  /** Command that replaces a state that cannot be used. */
  readonly restoreCommand: string;
  /** Throws `configuration` if a start of the bridge would reject the state. Changes nothing. */
  refuseForeign(): Promise<void>;
  /** Resolves with the loss in words if the state exists but has lost its content, or undefined if nothing was lost. */
  findLoss(): Promise<string | undefined>;
  /**
   * Resolves with the format of the state and the newest format that this program knows. `present` is undefined if there is no
   * state yet.
   */
  schema(): Promise<{ readonly present: number | undefined; readonly newest: number }>;
  /** Checks the form of the whole state, and resolves with one sentence for each problem. */
  quickCheck(): Promise<readonly string[]>;
  /** Checks the whole state and its counters, and resolves with one sentence for each problem. Rejects an older format. */
  check(): Promise<readonly string[]>;
  /** Copies the state to a new file. Resolves with false, and does nothing, if the file exists. */
  backUp(target: string): Promise<boolean>;
  /**
   * Replaces the state with a copy that `backUp` made. Keeps the replaced state and resolves with its name, or with undefined if
   * there was no state. If the copy is rejected, changes nothing.
   */
  restore(source: string): Promise<string | undefined>;
  /** Migrates a copy of the state, and resolves with one sentence for each problem. */
  tryMigration(): Promise<readonly string[]>;
  /** Migrates the state to the newest format. Resolves with the name of a copy of the old state, if there is one. */
  migrate(): Promise<string | undefined>;
  /** Opens the state read-only. Resolves with undefined if there is no state yet. Rejects an older format. */
  openReader(): Promise<StateReader | undefined>;
  /** Runs `work` with all rows of the state. Throws `configuration` if there is no state yet. */
  moveOut<T>(work: (source: MoveSource) => Promise<T>): Promise<T>;
  /** Runs `work` with a new state. If `work` fails, there is no new state. Throws `configuration` if the state is not empty. */
  moveIn<T>(work: (target: MoveTarget) => Promise<T>): Promise<T>;
}
