import type { Config } from '../config/settings/settings.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import { isPerhapsPaid } from '../errors/call-effect.ts';
import type { ReplayKind } from './replay-store-port.ts';

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
  /** The success to evict from the scope that holds the most. */
  readonly evicts: 'oldest' | 'largest';
  /**
   * Returns the treatment of a failure. `keep`: a repeated request receives the same failure. `forget`: a repeated request
   * starts new work, and so does any other request with the same key. `owe`: one retry starts new work.
   */
  readonly onFailure: (error: BridgeError) => 'keep' | 'forget' | 'owe';
}

export type ReplayPolicies = Readonly<Record<ReplayKind, ReplayPolicy>>;

/** Longer than the wait of the official clients before a retry, which is at most 8 s. */
const RETRY_MS = 10_000;
/**
 * Maximum total size of the replies kept for retries. A small limit is enough, because a client retries within a second after a
 * connection reset.
 */
const MAX_REPLIED_BYTES = 64 * 1024 * 1024;

export function toReplayPolicies(settings: Config['runtime']['idempotency']): ReplayPolicies {
  return {
    key: {
      countsClients: false,
      keepMs: settings.completed_ttl_secs * 1000,
      maxEntries: settings.max_entries,
      maxBytes: settings.max_completed_bytes,
      evicts: 'oldest',
      // The same key never causes a second charge.
      onFailure: ({ effect }) => (isPerhapsPaid(effect) ? 'keep' : 'forget'),
    },
    retry: {
      countsClients: true,
      keepMs: RETRY_MS,
      maxEntries: Number.POSITIVE_INFINITY,
      maxBytes: MAX_REPLIED_BYTES,
      evicts: 'largest',
      // Work with any other failure may have been charged, or would fail again.
      onFailure: ({ retryable }) => (retryable ? 'owe' : 'keep'),
    },
  };
}
