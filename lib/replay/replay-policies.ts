import type { Config } from '../config/settings/settings.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { ReplayKind } from './replay-store-port.ts';

/** The rules for requests of one kind (`docs/contract.md`, section 13). */
export interface ReplayPolicy {
  /**
   * True if work and its outcome last until `keepMs` after the last client has received the reply or disconnected. Otherwise
   * the work always runs to its end, and the outcome lasts until `keepMs` after that.
   */
  readonly countsClients: boolean;
  readonly keepMs: number;
  /** The largest number of entries. */
  readonly maxEntries: number;
  /** The memory for successes that no client waits for. */
  readonly maxBytes: number;
  /** The success to evict, of the scope that holds the most. */
  readonly evicts: 'oldest' | 'largest';
  /**
   * Returns the treatment of a failure. `keep`: the same request gets the failure too. `forget`: the same request starts anew,
   * and so does any other request with the same key. `owe`: one retry starts anew.
   */
  readonly onFailure: (error: BridgeError) => 'keep' | 'forget' | 'owe';
}

export type ReplayPolicies = Readonly<Record<ReplayKind, ReplayPolicy>>;

/** Longer than the official clients wait before a retry, which is at most 8 s. */
const RETRY_MS = 10_000;
/** The retry after a connection reset follows within a second. */
const MAX_REPLIED_BYTES = 64 * 1024 * 1024;

export function toReplayPolicies(settings: Config['runtime']['idempotency']): ReplayPolicies {
  return {
    key: {
      countsClients: false,
      keepMs: settings.completed_ttl_secs * 1000,
      maxEntries: settings.max_entries,
      maxBytes: settings.max_completed_bytes,
      evicts: 'oldest',
      // An image may have been made and paid for.
      onFailure: ({ details }) => (details['outcome'] === 'unknown' ? 'keep' : 'forget'),
    },
    retry: {
      countsClients: true,
      keepMs: RETRY_MS,
      maxEntries: Number.POSITIVE_INFINITY,
      maxBytes: MAX_REPLIED_BYTES,
      evicts: 'largest',
      // Other failures may have been paid for, or would only fail again.
      onFailure: ({ retryable }) => (retryable ? 'owe' : 'keep'),
    },
  };
}
