import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';

// By result code (https://www.sqlite.org/rescode.html); an extended code begins with its primary one.
const REFUSALS: readonly (readonly [code: string, reason: string])[] = [
  ['SQLITE_FULL', 'state_store_full'],
  ['SQLITE_READONLY', 'state_store_read_only'],
  ['SQLITE_PERM', 'state_store_read_only'],
  ['SQLITE_BUSY', 'state_store_busy'],
  ['SQLITE_LOCKED', 'state_store_busy'],
  ['SQLITE_IOERR', 'state_store_failing'],
  ['SQLITE_CANTOPEN', 'state_store_failing'],
  ['SQLITE_NOMEM', 'state_store_failing'],
];

/**
 * What the driver threw, as contract.md 8 names it: `overloaded` when the store cannot do its work now, `internal` for
 * a damaged page and whatever else it says. Anything that is no error of the driver comes back as it is.
 */
export function toStoreError(thrown: unknown): unknown {
  if (!(thrown instanceof Sqlite.SqliteError)) return thrown;
  const refusal = refusalReason(thrown.code);
  return refusal === undefined
    ? new BridgeError('internal', 'the state database is damaged or was used wrongly', {
        cause: thrown,
      })
    : new BridgeError('overloaded', 'the state database cannot take this now', {
        details: { reason: refusal },
        cause: thrown,
      });
}

/** Whether the driver threw it because the store cannot do its work now. */
export function isStoreRefusal(thrown: unknown): boolean {
  return thrown instanceof Sqlite.SqliteError && refusalReason(thrown.code) !== undefined;
}

/** Why the database cannot be opened, in one sentence that names the setting. A `BridgeError` comes back as it is. */
export function toOpenError(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  return new BridgeError(
    'configuration',
    `state.directory: the database in it ${whyUnopened(thrown)}`,
    { cause: thrown },
  );
}

function whyUnopened(thrown: unknown): string {
  // Errors of the file system have a code too, and come from making the file.
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (refusalReason(code) === 'state_store_busy') return 'is in use by another program';
  return code !== '' && (refusalReason(code) !== undefined || !code.startsWith('SQLITE_'))
    ? 'cannot be opened for writing'
    : 'is damaged or belongs to another program';
}

function refusalReason(code: string): string | undefined {
  return REFUSALS.find(([refusal]) => code.startsWith(refusal))?.[1];
}
