import type { BridgeError } from '../errors/bridge-error.ts';

/** How the work under a key ended: the reply to every repeat. Only failures of unknown outcome are stored. */
export type StoredOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: BridgeError };

/** The state of a key for a request. */
export type Claim =
  /** The work is the caller's: it owes a `finish` or a `forget`. */
  | { readonly kind: 'claimed' }
  /** An equal request is running and is not settled yet. */
  | { readonly kind: 'running' }
  | { readonly kind: 'finished'; readonly outcome: StoredOutcome }
  /** Another request came under this key. */
  | { readonly kind: 'conflict' }
  /** All entries are in use, and none may be forgotten. */
  | { readonly kind: 'full' };

/**
 * The keys of requests, bounded. The store sees hashes of keys and scopes only. A request in flight is never forgotten, and a
 * failure of unknown outcome is kept for its whole time. A success is forgotten after its time, or earlier when another one
 * needs its space: then the scope that holds the most loses its oldest first.
 */
export interface ReplayStore {
  /** Grants one of several simultaneous claims. A scope above its equal share is refused first when entries run out. */
  claim(scopeHash: string, keyHash: string, fingerprint: string): Promise<Claim>;
  /** Keeps the outcome for those who repeat the request; `bytes` is the memory that a success takes. */
  finish(keyHash: string, outcome: StoredOutcome, bytes: number): Promise<void>;
  /** Restores the state that the key had before it was claimed. */
  forget(keyHash: string): Promise<void>;
}
