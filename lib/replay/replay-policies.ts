import type { Config } from '../config/settings/settings.ts';
import { isPerhapsPaid } from '../errors/call-effect.ts';
import type { ReplayPolicies } from './replay-store-port.ts';

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
      remembersDropped: true,
      evicts: 'oldest',
      // The same key never causes a second charge.
      onFailure: ({ effect }) => (isPerhapsPaid(effect) ? 'keep' : 'forget'),
    },
    retry: {
      countsClients: true,
      keepMs: RETRY_MS,
      maxEntries: Number.POSITIVE_INFINITY,
      maxBytes: MAX_REPLIED_BYTES,
      remembersDropped: false,
      evicts: 'largest',
      // Work with any other failure may have been charged, or would fail again.
      onFailure: ({ retryable }) => (retryable ? 'owe' : 'keep'),
    },
  };
}
