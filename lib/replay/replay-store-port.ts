import { BridgeError } from '../errors/bridge-error.ts';
import type { BridgeErrorCopy } from '../platform/thrown-copy.ts';

/** The two kinds of requests that may be sent again: requests with an idempotency key, and requests that count their retries. */
export type ReplayKind = 'key' | 'retry';

/**
 * The outcome of a request, which is returned again when the request is repeated. An outcome contains only plain values that a
 * structured clone copies, so that a store can keep outcomes outside this process.
 */
export type StoredOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: BridgeErrorCopy };

/** A request that may have been sent before. The store receives only keyed hashes of keys and scopes. */
export interface ReplayClaim {
  /** The id of the new entry if the request starts its own work. */
  readonly id: string;
  readonly kind: ReplayKind;
  readonly scope: string;
  /** A hash that is the same each time the request is sent. */
  readonly identity: string;
  readonly fingerprint: string;
  /** True if the request may join earlier work. False if the request is certainly sent for the first time. */
  readonly mayJoin: boolean;
}

/** The answer to a claim. `id` names the entry of the earlier request. */
export type Claimed =
  /** The caller starts its own work under the id of its claim, and then calls `finish`, `owe` or `forget`. */
  | { readonly state: 'started' }
  | { readonly state: 'running'; readonly id: string }
  | { readonly state: 'finished'; readonly id: string; readonly outcome: StoredOutcome };

/**
 * Stores each request in flight and each outcome as an entry, for as long as `ReplayPolicy` requires. Every method is one
 * transaction. A method does nothing if the entry with the given id does not exist.
 *
 * If the policy counts clients, a claim attaches its client to the entry, and `release` detaches the client. An entry expires
 * `keepMs` after its work has ended and no client is attached. Only successes are evicted. If the policy counts clients, a
 * success is evicted only after a client has received the success and all clients are detached.
 */
export interface ReplayStore {
  /**
   * Answers a request. If several claims of one identity arrive at the same time, only one claim starts the work. A request
   * that may join is matched in this order: an entry whose outcome no client has received, preferably an entry without an
   * attached client; a failure for which `owe` permits one retry; any other entry. Throws `idempotency_conflict` if an entry of
   * the identity has another fingerprint, and `overloaded` if no entry is free. The last tenth of the entries is reserved for
   * scopes that hold less than their equal share.
   */
  claim(request: ReplayClaim): Promise<Claimed>;
  /** Stores the outcome of the work. `bytes` is the size of the value in memory, or 0 for a failure. */
  finish(id: string, outcome: StoredOutcome, bytes: number): Promise<void>;
  /** Records a failure that permits one retry. The next claim that may join starts new work. */
  owe(id: string): Promise<void>;
  /** Detaches a client. `isReplied` is true if the client received the whole reply. Resolves with true for the last client. */
  release(id: string, isReplied: boolean): Promise<boolean>;
  /** Removes an entry unless a client is attached. Resolves with true if the entry does not exist any more. */
  abandon(id: string): Promise<boolean>;
  /** Removes an entry, so that the next request starts new work. */
  forget(id: string): Promise<void>;
}

/** Throws `idempotency_conflict` unless a request equals the earlier request with the same key. */
export function refuseDifferent(
  earlier: { readonly fingerprint: string },
  request: { readonly fingerprint: string },
): void {
  if (earlier.fingerprint === request.fingerprint) return;
  throw new BridgeError(
    'idempotency_conflict',
    'the Idempotency-Key was used for a different request',
    { param: 'idempotency_key' },
  );
}
