import { escapeLiteral } from 'pg';

/** The mark that a transaction leaves in the database if it is committed. */
export interface CommitMarker {
  readonly slot: number;
  readonly transaction: number;
  /** The statement that leaves the mark. Has no parameters, so that it can be sent together with BEGIN. */
  readonly sql: string;
}

interface Deps {
  /** The quoted name of the schema. */
  readonly schema: string;
  /** The id of this replica. */
  readonly owner: string;
}

/**
 * Creates the marks that tell whether a transaction whose COMMIT was not answered was committed. The id that PostgreSQL gives to a
 * transaction cannot tell this: after a crash, the server gives an id that it has not written yet to another transaction. A
 * slot has one row, which transactions use one after another, because a new row for each transaction would have to be removed.
 */
export function createCommitMarkers({ schema, owner }: Deps) {
  const self = escapeLiteral(owner);
  const free: number[] = [];
  let slots = 0;
  let transactions = 0;

  return {
    take(): CommitMarker {
      const slot = free.pop() ?? slots++;
      const transaction = ++transactions;
      const sql = `
        INSERT INTO ${schema}.commit_marker VALUES (${self}, ${slot}, ${transaction})
        ON CONFLICT (owner, slot) DO UPDATE SET transaction = excluded.transaction, written = now()`;
      return { slot, transaction, sql };
    },

    /** Makes the slot free for another transaction. A slot that a lost connection may still lock must not be released. */
    release({ slot }: CommitMarker): void {
      free.push(slot);
    },

    /** Selects the last transaction of the slot that was committed. Waits for the end of a transaction that still uses the slot. */
    findLast({ slot }: CommitMarker): string {
      return `
        INSERT INTO ${schema}.commit_marker AS marker VALUES (${self}, ${slot}, 0)
        ON CONFLICT (owner, slot) DO UPDATE SET transaction = marker.transaction
        RETURNING transaction`;
    },
  };
}
