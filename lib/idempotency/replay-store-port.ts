import type { BridgeError } from '../errors/bridge-error.ts';

/** How the work under a key ended: the reply to every repeat. */
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
 * The keys of requests, bounded. The store sees hashes only, never a key. A running request is never forgotten; a finished
 * one is forgotten after its time, or when a newer one needs its space.
 */
export interface ReplayStore {
  /** Of several claims at the same time one is `claimed`. */
  claim(keyHash: string, fingerprint: string): Promise<Claim>;
  /** Keeps the outcome for those who repeat the request; `bytes` is the memory that it takes. */
  finish(keyHash: string, outcome: StoredOutcome, bytes: number): Promise<void>;
  /** The key is as it was before it was claimed. */
  forget(keyHash: string): Promise<void>;
}
