import { resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { errorCode } from '../../platform/error-code.ts';

// Result codes (https://www.sqlite.org/rescode.html). An extended code begins with its primary code.
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
 * Converts an error of the driver: to `overloaded` if the store cannot work at present, and to `internal` for a damaged page or
 * any other error. Returns an error that is not from the driver unchanged.
 */
export function toStoreError(thrown: unknown): unknown {
  if (!(thrown instanceof Sqlite.SqliteError)) return thrown;
  const refusal = refusalReason(thrown.code);
  if (refusal !== undefined) {
    return new BridgeError('overloaded', 'the state database is unavailable', {
      details: { reason: refusal },
      cause: thrown,
    });
  }
  return DAMAGE.test(thrown.code)
    ? new BridgeError('internal', 'the state database is damaged', {
        details: { reason: 'state_store_damaged' },
        cause: thrown,
      })
    : new BridgeError('internal', 'the state database rejected a statement', { cause: thrown });
}

/** Returns true if the error, or its cause, reports a damaged page. */
export function isDamage(thrown: unknown): boolean {
  if (thrown instanceof BridgeError) return isDamage(thrown.cause);
  // The code is compared instead of the class, because an error from a storage thread has another class.
  return DAMAGE.test(errorCode(thrown) ?? '');
}

/** Returns true if the error of the driver means that the store cannot work at present. */
export function isStoreRefusal(thrown: unknown): boolean {
  return thrown instanceof Sqlite.SqliteError && refusalReason(thrown.code) !== undefined;
}

/**
 * Converts the reason why the database `file` cannot be opened to an error that names the setting, the path and the error code.
 * Returns a `BridgeError` unchanged, unless a damaged page caused it.
 */
export function toOpenError(thrown: unknown, file: string): BridgeError {
  if (isDamage(thrown)) return damaged(file);
  if (thrown instanceof BridgeError) return thrown;
  // Errors of the file system also have a code. Such an error occurs when the file is created.
  const code = errorCode(thrown) ?? '';
  if (refusalReason(code) === 'state_store_busy') {
    return refusal(`${resolve(file)} is in use by another program`);
  }
  return code !== '' && (refusalReason(code) !== undefined || !code.startsWith('SQLITE_'))
    ? refusal(`${resolve(file)} cannot be opened for writing (${code})`)
    : damaged(file);
}

/** Returns the error for a database that is damaged or belongs to another program. */
export function damaged(file: string): BridgeError {
  return refusal(
    `the database ${resolve(file)} is damaged or belongs to another program; restore a backup with: image-bridge state restore FILE`,
  );
}

/** Returns the error for a database file that cannot be read. */
export function unreadable(file: string, cause: unknown): BridgeError {
  return refusal(`${resolve(file)} cannot be read (${errorCode(cause) ?? 'unknown'})`);
}

// The error has no `cause`, because the sentence is complete and the cause would be logged in addition.
function refusal(sentence: string): BridgeError {
  return new BridgeError('configuration', `state.directory: ${sentence}`);
}

function refusalReason(code: string): string | undefined {
  return REFUSALS.find(([refusal]) => code.startsWith(refusal))?.[1];
}
