import { DatabaseError } from 'pg';
import { BridgeError } from '../../errors/bridge-error.ts';

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). The first row whose prefix matches applies.
const REFUSALS: readonly (readonly [prefix: string, reason: string])[] = [
  ['53100', 'state_store_full'],
  ['25006', 'state_store_read_only'],
  ['42501', 'state_store_read_only'],
  ['40', 'state_store_busy'],
  ['55P03', 'state_store_busy'],
  ['57014', 'state_store_busy'],
  ['25P03', 'state_store_busy'],
  ['53', 'state_store_busy'],
  ['08', 'state_store_failing'],
  ['28', 'state_store_failing'],
  ['3D', 'state_store_failing'],
  ['57P', 'state_store_failing'],
  ['58030', 'state_store_failing'],
];

// Corrupt data, a corrupt index, and a missing file of the database.
const DAMAGE = /^(XX001|XX002|58P01)$/;

// A serialization failure and a deadlock.
const CONFLICT = /^(40001|40P01)$/;

// A demoted primary (25006) still answers reads, so its connections must not be used again.
const LOST = /^(08|57P0|25006)/;

// The server ended the session because its transaction was idle for too long.
const ENDED = '25P03';

// The user has no right to do what the statement asks for.
const NO_PRIVILEGE = '42501';

// A unique constraint was violated.
const DUPLICATE = '23505';

// The messages of the driver about a reply that is late, and about a pool without a free connection.
const TIMEOUTS: readonly string[] = [
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
];

/**
 * Converts an error of the driver: to `overloaded` if the database cannot work at present, and to `internal` if the database is
 * damaged or rejects a statement. An error of the driver without an SQLSTATE is an error of the connection.
 */
export function toStoreError(thrown: unknown): BridgeError {
  const reason = refusalReason(thrown);
  if (reason !== undefined) {
    return new BridgeError('overloaded', 'the state database is unavailable', {
      details: { reason },
      cause: thrown,
    });
  }
  return DAMAGE.test(sqlState(thrown) ?? '')
    ? new BridgeError('internal', 'the state database is damaged', {
        details: { reason: 'state_store_damaged' },
        cause: thrown,
      })
    : new BridgeError('internal', 'the state database rejected a statement', { cause: thrown });
}

/** Returns true if the store error means that the database cannot work at present. */
export function isRefusal(error: unknown): boolean {
  return causeOf(error) !== undefined && refusalReason(causeOf(error)) !== undefined;
}

/** Returns true if the store error was caused by a conflict with another transaction. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(causeOf(error)) ?? '');
}

/** Returns true if the store error was caused by the loss of the connection. */
export function isLost(error: unknown): boolean {
  const cause = causeOf(error);
  if (cause === undefined || isTimeout(cause)) return false;
  const state = sqlState(cause);
  return state === undefined || LOST.test(state);
}

/** Returns true if the connection must not be used after the store error. */
export function endsConnection(error: unknown): boolean {
  const cause = causeOf(error);
  return isLost(error) || isTimeout(cause) || sqlState(cause) === ENDED;
}

/** Returns true if a row with the same value in a unique column exists already. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(causeOf(error)) === DUPLICATE;
}

/** Returns true if the user of the database may not create the extension pg_trgm. */
export function isExtensionRefused(error: unknown): boolean {
  const cause = causeOf(error);
  return sqlState(cause) === NO_PRIVILEGE && /\bpg_trgm\b/.test((cause as Error).message);
}

/** Returns the SQLSTATE of an error of the server, and undefined for any other error. */
export function sqlState(thrown: unknown): string | undefined {
  return thrown instanceof DatabaseError ? thrown.code : undefined;
}

/** Returns the cause of a store error, which is an error of the driver. */
function causeOf(error: unknown): unknown {
  return error instanceof BridgeError ? error.cause : undefined;
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && TIMEOUTS.includes(cause.message);
}

function refusalReason(cause: unknown): string | undefined {
  const state = sqlState(cause);
  if (state === undefined) return isTimeout(cause) ? 'state_store_busy' : 'state_store_failing';
  return REFUSALS.find(([prefix]) => state.startsWith(prefix))?.[1];
}
