import type { BridgeError } from './bridge-error.ts';

/** The labels of rejected requests in the metrics: known values of `details.reason`, and two labels for all other reasons. */
export const REFUSAL_REASONS = [
  'allowance',
  'artifact_folder_full',
  'artifact_folder_unusable',
  'artifact_store_unavailable',
  'body_memory',
  'budget',
  'circuit_open',
  'idempotency_full',
  'jobs_full',
  'queue_full',
  'quota',
  'share',
  'state_store_busy',
  'state_store_failing',
  'state_store_full',
  'state_store_read_only',
  'stopping',
  'too_many_streams',
  // The provider rejected the request for another reason.
  'provider',
  'other',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Returns the label under which a rejected request is counted, or undefined if no resource is full, paused or broken. */
export function refusalReason({ code, details, provider }: BridgeError): RefusalReason | undefined {
  const reason = REFUSAL_REASONS.find((known) => known === details['reason']);
  if (reason !== undefined) return reason;
  if (code !== 'overloaded' && code !== 'rate_limited') return undefined;
  return provider === undefined ? 'other' : 'provider';
}
