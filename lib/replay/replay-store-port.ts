import { BridgeError } from '../errors/bridge-error.ts';
import { type BridgeErrorCopy, copyBridgeError } from '../platform/thrown-copy.ts';

/** The two kinds of requests that may be sent again: requests with an idempotency key, and requests that count their retries. */
export type ReplayKind = 'key' | 'retry';

/** The rules for requests of one kind (`docs/contract.md`, section 13). */
export interface ReplayPolicy {
  /**
   * True if the work and its outcome are kept until `keepMs` after the last client received the reply or disconnected. If
   * false, the work always runs to its end, and the outcome is kept until `keepMs` after the end.
   */
  readonly countsClients: boolean;
  readonly keepMs: number;
  /** The largest number of entries. */
  readonly maxEntries: number;
  /** The maximum memory for the successes that may be evicted. */
  readonly maxBytes: number;
  /**
   * True if a success that is evicted because of its size leaves the failure `droppedOutcome`, so that a repeated request does not
   * pay for its images again. If false, a repeated request starts new work.
   */
  readonly remembersDropped: boolean;
  /** The success to evict from the scope that holds the most. */
  readonly evicts: 'oldest' | 'largest';
  /**
   * Returns the treatment of a failure. `keep`: a repeated request receives the same failure. `forget`: a repeated request
   * starts new work, and so does any other request with the same key. `owe`: one retry starts new work.
   */
  readonly onFailure: (error: BridgeError) => 'keep' | 'forget' | 'owe';
}

export type ReplayPolicies = Readonly<Record<ReplayKind, ReplayPolicy>>;

/**
 * The outcome of a request, which is returned again when the request is repeated. An outcome contains only plain values that a
 * structured clone copies, and `ByteParts`, so that a store can keep outcomes outside this process.
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
 * success is evicted only after a client has received the success and all clients are detached. The failure that a dropped success
 * leaves does not count towards `maxBytes`, but is evicted like a success when another request needs the entry.
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
  /** Records that the work is queued or running, so that `untilStarted` resolves in other processes. */
  markStarted(id: string): Promise<void>;
  /** Stores the outcome of the work. `bytes` is the size of the value in memory, or 0 for a failure. */
  finish(id: string, outcome: StoredOutcome, bytes: number): Promise<void>;
  /** Records a failure that permits one retry. The next claim that may join starts new work. */
  owe(id: string): Promise<void>;
  /** Detaches a client. `isReplied` is true if the client received the whole reply. */
  release(id: string, isReplied: boolean): Promise<void>;
  /**
   * Removes an entry unless a client is attached, or a client of another process was attached less than `keepMs` ago. Resolves with
   * true if the entry no longer exists.
   */
  abandon(id: string): Promise<boolean>;
  /** Removes an entry, so that the next request starts new work. */
  forget(id: string): Promise<void>;
  /**
   * Waits for the start of work that another process runs. Resolves with true when `markStarted` was called, or with false if the
   * work has ended or the entry does not exist. Rejects with the reason of the signal if the signal aborts first.
   */
  untilStarted(id: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Waits for the end of work that another process runs. Resolves with the outcome, or with undefined if the entry permits new
   * work. The outcome of work whose process has ended is unknown. Rejects with the reason of the signal if the signal aborts
   * first.
   */
  untilSettled(id: string, signal: AbortSignal): Promise<StoredOutcome | undefined>;
  /**
   * Resolves when a client of another process is attached to the entry. Rejects with the reason of the signal if the signal
   * aborts first.
   */
  untilAttached(id: string, signal: AbortSignal): Promise<void>;
}

/** The facts about an entry that decide whether a request joins the entry. */
export interface JoinableEntry {
  readonly state: 'running' | 'finished' | 'owed';
  /** The number of attached clients. */
  readonly clients: number;
  /** True if a client has received the outcome, or if clients are not counted. */
  readonly isReplied: boolean;
}

/**
 * Returns the entry that a request joins, selected from the entries with the same identity (see `ReplayStore.claim`), or undefined
 * if there are no entries.
 */
export function selectEarlier<E extends JoinableEntry>(entries: readonly E[]): E | undefined {
  const missed = entries.filter(({ isReplied, state }) => !isReplied && state !== 'owed');
  // If a client is still attached to every entry, return any of these entries, because a client may retry before the bridge
  // notices that the old connection is closed.
  const found = missed.find(({ clients }) => clients === 0) ?? missed[0];
  // If no failure permits a retry, return an entry with a reply that was written, because the client may not have received that
  // reply.
  return found ?? entries.find(({ state }) => state === 'owed') ?? entries[0];
}

/** Returns the outcome of work that was running when its process ended. The work is never repeated. */
export function lostOutcome(): StoredOutcome {
  const error = new BridgeError('cancelled', 'the bridge stopped while the request was running', {
    retryable: false,
    details: { outcome: 'unknown', reason: 'interrupted' },
  });
  return { ok: false, failure: copyBridgeError(error) };
}

/** Returns the outcome of work that has succeeded and whose reply is too large to be kept any longer. The work is not repeated. */
export function droppedOutcome(): StoredOutcome {
  const message = 'an equal request has succeeded, but its reply is no longer kept';
  const error = new BridgeError('idempotency_conflict', message, {
    param: 'idempotency_key',
    details: { reason: 'reply_not_kept' },
  });
  return { ok: false, failure: copyBridgeError(error) };
}

/** Returns the error of a claim that finds no free entry. */
export function entriesExhausted(): BridgeError {
  return new BridgeError('overloaded', 'too many requests with an Idempotency-Key are remembered', {
    details: { reason: 'idempotency_full', retry_after_ms: 1000 },
  });
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
