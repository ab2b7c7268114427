import type { BridgeError } from '../errors/bridge-error.ts';

/**
 * The outcome of the work under a key, which is the reply to every repeated request. Of failures, only those with an unknown
 * outcome are stored.
 */
export type StoredOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: BridgeError };

/** The result of claiming a key for a request. */
export type Claim =
  /** The caller does the work and must call `finish` or `forget`. */
  | { readonly kind: 'claimed' }
  /** An equal request is running. */
  | { readonly kind: 'running' }
  | { readonly kind: 'finished'; readonly outcome: StoredOutcome }
  /** A different request was sent with this key. */
  | { readonly kind: 'conflict' }
  /** All entries are in use, and none may be evicted. */
  | { readonly kind: 'full' };

/**
 * Stores a limited number of request keys and their outcomes. The store receives only hashes of keys and scopes. A request in flight
 * is never evicted, and a failure with an unknown outcome is kept until it expires. A success is kept until it expires or until its
 * space is needed; then the scope that holds the most loses its oldest success first.
 */
export interface ReplayStore {
  /**
   * Claims a key. Grants one of several simultaneous claims. When entries run out, scopes above their equal share are refused
   * first.
   */
  claim(scopeHash: string, keyHash: string, fingerprint: string): Promise<Claim>;
  /** Stores the outcome for repeated requests. `bytes` is the memory size of a success. */
  finish(keyHash: string, outcome: StoredOutcome, bytes: number): Promise<void>;
  /** Restores the state that the key had before it was claimed. */
  forget(keyHash: string): Promise<void>;
}
