import { resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { errorCode } from '../../platform/error-code.ts';

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

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * What the driver threw, as contract.md 8 names it: `overloaded` when the store cannot do its work now, `internal` for
 * a damaged page and whatever else it says. Anything that is no error of the driver comes back as it is.
 */
export function toStoreError(thrown: unknown): unknown {
  if (!(thrown instanceof Sqlite.SqliteError)) return thrown;
  const refusal = refusalReason(thrown.code);
  if (refusal !== undefined) {
    return new BridgeError('overloaded', 'the state database cannot take this now', {
      details: { reason: refusal },
      cause: thrown,
    });
  }
  return DAMAGE.test(thrown.code)
    ? new BridgeError('internal', 'the state database is damaged', {
        details: { reason: 'state_store_damaged' },
        cause: thrown,
      })
    : new BridgeError('internal', 'the state database was used wrongly', { cause: thrown });
}

/** Returns true if the driver found a damaged page, now or as the cause of this failure. */
export function isDamage(thrown: unknown): boolean {
  if (thrown instanceof BridgeError) return isDamage(thrown.cause);
  return thrown instanceof Sqlite.SqliteError && DAMAGE.test(thrown.code);
}

/** Whether the driver threw it because the store cannot do its work now. */
export function isStoreRefusal(thrown: unknown): boolean {
  return thrown instanceof Sqlite.SqliteError && refusalReason(thrown.code) !== undefined;
}

/**
 * Says in one sentence why the database `file` cannot be opened; it names the setting, the path and the system's code. A
 * `BridgeError` comes back as it is, unless a damaged page is its cause.
 */
export function toOpenError(thrown: unknown, file: string): BridgeError {
  if (isDamage(thrown)) return damaged(file);
  if (thrown instanceof BridgeError) return thrown;
  // Errors of the file system have a code too, and come from making the file.
  const code = errorCode(thrown) ?? '';
  if (refusalReason(code) === 'state_store_busy') {
    return refusal(`${resolve(file)} is in use by another program`);
  }
  return code !== '' && (refusalReason(code) !== undefined || !code.startsWith('SQLITE_'))
    ? refusal(`${resolve(file)} cannot be opened for writing (${code})`)
    : damaged(file);
}

/** The refusal of a database that cannot be read to its end, or is another program's. */
export function damaged(file: string): BridgeError {
  return refusal(
    `the database ${resolve(file)} is damaged or belongs to another program; put a backup in its place with: image-bridge state restore FILE`,
  );
}

/** The refusal of a database whose file cannot be read at all. */
export function unreadable(file: string, cause: unknown): BridgeError {
  return refusal(`${resolve(file)} cannot be read (${errorCode(cause) ?? 'unknown'})`);
}

// Without the cause: the sentence says it all, and a cause would be logged beside it.
function refusal(sentence: string): BridgeError {
  return new BridgeError('configuration', `state.directory: ${sentence}`);
}

function refusalReason(code: string): string | undefined {
  return REFUSALS.find(([refusal]) => code.startsWith(refusal))?.[1];
}
