import type { Routing } from '../../contract/request/routing.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';

/** Another provider may well do what this one could not begin with. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set([
  'configuration',
  'provider_authentication',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
]);

/** The provider failed, or refused this request, and the outcome is known. */
const FAILED: ReadonlySet<ErrorCode> = new Set([
  'upstream',
  'protocol',
  'internal',
  'refused_by_provider',
]);

/**
 * Whether the next route is tried after a failure (contract.md 8 and 13). Never after an unknown outcome, nor after outputs
 * that had succeeded: they were paid for, and another route would make all of them again.
 */
export function fallsBack(error: BridgeError, policy: Routing['fallback_policy']): boolean {
  const { outcome, succeeded_outputs: succeeded } = error.details;
  if (outcome === 'unknown' || succeeded !== undefined) return false;
  return UNAVAILABLE.has(error.code) || (policy === 'on_error' && FAILED.has(error.code));
}
