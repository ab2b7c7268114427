import { BridgeError } from '../errors/bridge-error.ts';
import { runBoth } from '../platform/concurrent-work.ts';
import { MOVED_TABLES } from './move/moved-tables.ts';
import type { StateInspection } from './state-inspection-port.ts';
import type { MoveSource, MoveTarget } from './state-move-port.ts';

/** Reports that this number of rows of a table was copied. */
type OnRows = (table: string, rows: number) => void;

interface Steps {
  /** Copies the files that the rows of the source name. Stops when the signal aborts. */
  readonly moveFiles: (source: MoveSource, signal: AbortSignal) => Promise<void>;
  readonly onRows: OnRows;
}

/**
 * Moves a state into an empty state: the files, and all rows at once. The source keeps its rows, but its queue is paused just before
 * the target gets its rows. Resolves with the number of rows. If a step fails, the target stays empty, and the same move can be
 * repeated.
 */
export function moveState(
  source: Pick<StateInspection, 'moveOut'>,
  target: Pick<StateInspection, 'moveIn'>,
  { moveFiles, onRows }: Steps,
): Promise<number> {
  return source.moveOut((from) =>
    target.moveIn(async (to) => {
      // Most of the time, the files wait for a disk or a network and the rows for a database.
      const [, rows] = await runBoth(
        (signal) => moveFiles(from, signal),
        (signal) => moveRows(from, to, { onRows, signal }),
      );
      // Before the target is complete, because jobs that both states could run would be paid for twice.
      await from.pauseQueue();
      return rows;
    }),
  );
}

/**
 * Copies all rows, and compares the number of rows and a checksum of each table. Resolves with the number of rows. Throws `internal` if
 * a table differs.
 */
async function moveRows(
  source: MoveSource,
  target: MoveTarget,
  { onRows, signal }: Pick<Steps, 'onRows'> & { readonly signal: AbortSignal },
): Promise<number> {
  for (const table of MOVED_TABLES) {
    const columns = await commonColumns(table, source, target);
    let copied = 0;
    let written = Promise.resolve();
    for await (const rows of source.read(table, columns)) {
      await written;
      signal.throwIfAborted();
      copied += rows.length;
      onRows(table, copied);
      // The next page is read while this page is written.
      written = target.write(table, columns, rows);
      written.catch(() => {});
    }
    await written;
  }
  signal.throwIfAborted();
  await target.complete(source);
  return verify(source, target);
}

/** Throws `internal` if the databases have different columns, because the values of a column would be lost. */
async function commonColumns(
  table: string,
  source: MoveSource,
  target: MoveTarget,
): Promise<readonly string[]> {
  const columns = await source.listColumns(table);
  const expected = await target.listColumns(table);
  if (columns.join() === expected.join()) return columns;
  throw new BridgeError('internal', `the two databases have different columns in ${table}`);
}

async function verify(source: MoveSource, target: MoveTarget): Promise<number> {
  let all = 0;
  for (const table of MOVED_TABLES) {
    const columns = await source.listColumns(table);
    const [stored, sent] = await Promise.all([
      target.digest(table, columns),
      source.digest(table, columns),
    ]);
    if (sent.rows !== stored.rows || sent.checksum !== stored.checksum) {
      throw new BridgeError(
        'internal',
        `the table ${table} differs after the copy (${stored.rows} of ${sent.rows} rows)`,
      );
    }
    all += sent.rows;
  }
  return all;
}
