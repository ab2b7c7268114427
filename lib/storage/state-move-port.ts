import type { ArtifactRecord, IntentPage } from '../artifacts/artifact-store-port.ts';
import type { StateReader } from './state-reader-port.ts';

/** The values of a row, in the order of the columns. Both databases store only texts and whole numbers in these tables. */
export type MovedRow = readonly (string | number | null)[];

/** The number of rows of a table, and a checksum that does not depend on their order or on the database. */
export interface TableDigest {
  readonly rows: number;
  readonly checksum: string;
}

interface MovedTables {
  /** Resolves with the names of the columns that both databases must have, in alphabetical order. */
  listColumns(table: string): Promise<readonly string[]>;
}

/** A state that no bridge serves, and that no bridge can begin to serve while this object is used. */
export interface MoveSource extends MovedTables, Omit<StateReader, 'close'> {
  /** The secret of the state, which keys the hashes and seals the cursors in its rows. */
  readonly secret: Uint8Array;
  /** The number of the newest job, which may have been removed. */
  readonly lastSequence: number;
  /** Lists the publications and removals that have not ended. */
  listIntents(page: IntentPage): Promise<readonly ArtifactRecord[]>;
  /** Reads the rows of a table in pages, which are small enough for memory. */
  read(table: string, columns: readonly string[]): AsyncIterable<readonly MovedRow[]>;
  /** Counts the rows of a table, and computes their digest. Must be called after all rows of the table were read. */
  digest(table: string, columns: readonly string[]): Promise<TableDigest>;
  /**
   * Pauses the queue, because the jobs that were moved must not run a second time. Durable when it resolves. Must be called after the
   * last row was read.
   */
  pauseQueue(): Promise<void>;
}

/** An empty state that no bridge serves. Its rows are visible to others only after the whole move has succeeded. */
export interface MoveTarget extends MovedTables {
  /** Adds rows to a table. A parent table must be written before its children. */
  write(table: string, columns: readonly string[], rows: readonly MovedRow[]): Promise<void>;
  /** Reads the rows that are stored now, and computes their digest. */
  digest(table: string, columns: readonly string[]): Promise<TableDigest>;
  /** Adds the facts that only this database stores. Must be called after the last row. */
  complete(facts: Pick<MoveSource, 'secret' | 'lastSequence'>): Promise<void>;
}
