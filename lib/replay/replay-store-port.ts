import { BridgeError, type BridgeErrorOptions } from '../errors/bridge-error.ts';
import type { ErrorCode } from '../errors/codes.ts';

/** The two kinds of requests that may be sent again: requests with an idempotency key, and requests that count their retries. */
export type ReplayKind = 'key' | 'retry';

/**
 * The outcome of a request, as replies to the same request repeat it. It consists of plain values that a structured clone
 * copies, so that a store can keep it outside this process.
 */
export type StoredOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: StoredFailure };

/** The parts of a `BridgeError` without its cause, which may contain whole replies. */
export interface StoredFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly options: Omit<BridgeErrorOptions, 'cause'>;
}

/** A request that may have been sent before. The store receives only keyed hashes of keys and scopes. */
export interface ReplayClaim {
  /** The id of the new entry if the request starts its own work. */
  readonly id: string;
  readonly kind: ReplayKind;
  readonly scope: string;
  /** The hash that is the same whenever the request is sent again. */
  readonly identity: string;
  readonly fingerprint: string;
  /** False if the request is certainly sent for the first time, so that it starts its own work. */
  readonly mayJoin: boolean;
}

/** The answer to a claim. `id` names the entry of the earlier request. */
export type Claimed =
  /** The caller starts its own work under the id of its claim, and then calls `finish`, `owe` or `forget`. */
  | { readonly state: 'started' }
  | { readonly state: 'running'; readonly id: string }
  | { readonly state: 'finished'; readonly id: string; readonly outcome: StoredOutcome };

/**
 * Stores requests in flight and outcomes, each as an entry, until `ReplayPolicy` lets them go. Every method is one
 * transaction. A method that names an entry which is gone does nothing.
 *
 * If the policy counts clients, a claim attaches its client to the entry, and `release` detaches the client. An entry expires
 * `keepMs` after its work has ended and no client is attached. A request in flight and a failure are never evicted, nor is a
 * success of a policy that counts clients before a client has received the success or while a client is attached.
 */
export interface ReplayStore {
  /**
   * Answers a request. Of several simultaneous claims of one identity, one starts the work. A request that may join gets an
   * entry whose outcome no client has received, first one without a client; else, once, the retry that `owe` has asked for;
   * else any other entry. Throws `idempotency_conflict` if an entry of the identity has another fingerprint, and `overloaded`
   * if no entry is free: the last tenth of the entries is for scopes below their equal share.
   */
  claim(request: ReplayClaim): Promise<Claimed>;
  /** Stores the outcome of the work. `bytes` is the size of a success. */
  finish(id: string, outcome: StoredOutcome, bytes: number): Promise<void>;
  /** Stores that the work failed in a way that asks for a retry. The next claim that may join then starts anew. */
  owe(id: string): Promise<void>;
  /** Detaches a client, which received the whole reply if `isReplied`. Resolves with true if no client is attached now. */
  release(id: string, isReplied: boolean): Promise<boolean>;
  /** Removes an entry unless a client is attached. Resolves with true if the entry is gone. */
  abandon(id: string): Promise<boolean>;
  /** Removes an entry, so that the next request starts anew. */
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
