import type { BridgeError } from './bridge-error.ts';

/** The values of `details.reason` that become a metric label, and two labels for refusals with any other reason or none. */
export const REFUSAL_REASONS = [
  'allowance',
  'artifact_folder_full',
  'artifact_folder_unusable',
  'body_memory',
  'circuit_open',
  'idempotency_full',
  'jobs_full',
  'queue_full',
  'quota',
  'running_elsewhere',
  'share',
  'state_store_busy',
  'state_store_failing',
  'state_store_full',
  'state_store_read_only',
  'stopping',
  'too_many_streams',
  // The provider refused without a known reason.
  'provider',
  'other',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Returns the label under which a refusal is counted, or undefined if the failure is not a refusal. */
export function refusalReason({ code, details, provider }: BridgeError): RefusalReason | undefined {
  const reason = REFUSAL_REASONS.find((known) => known === details['reason']);
  if (reason !== undefined) return reason;
  if (code !== 'overloaded' && code !== 'rate_limited') return undefined;
  return provider === undefined ? 'other' : 'provider';
}
