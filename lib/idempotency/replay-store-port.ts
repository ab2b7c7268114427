import type { BridgeError } from '../errors/bridge-error.ts';

/** How the work under a key ended, and what every repeat of it is told. */
export type StoredOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: BridgeError };

/** What a key is to the request that comes with it. */
export type Claim =
  /** The work is the caller's: it owes a `finish` or a `forget`. */
  | { readonly kind: 'claimed' }
  /** An equal request is under way, and who does it has not settled it yet. */
  | { readonly kind: 'running' }
  | { readonly kind: 'finished'; readonly outcome: StoredOutcome }
  /** Another request came under this key. */
  | { readonly kind: 'conflict' }
  /** There is no room, and nothing that may be forgotten for it. */
  | { readonly kind: 'full' };

/**
 * What is known of keys, under a bound. It sees hashes only, never a key. What is under way is never forgotten; what has
 * finished is forgotten after its time, or when there is no room for something newer.
 */
export interface ReplayStore {
  /** Of several claims at the same time one is `claimed`. */
  claim(keyHash: string, fingerprint: string): Promise<Claim>;
  /** Keeps the outcome for those who repeat the request; `bytes` is the memory that it takes. */
  finish(keyHash: string, outcome: StoredOutcome, bytes: number): Promise<void>;
  /** The key is as it was before it was claimed. */
  forget(keyHash: string): Promise<void>;
}
