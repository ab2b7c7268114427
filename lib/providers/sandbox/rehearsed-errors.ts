import { BridgeError } from '../../errors/bridge-error.ts';
import type { CallFacts } from '../provider-port.ts';
import { safetyDetails } from '../safety-details.ts';
import type { RehearsedFailure } from './models.ts';

const RETRY_AFTER_MS = 1000;

/** The errors that failures of a real provider become, one row each. */
const FAILURES: Readonly<Record<RehearsedFailure, (request: CallFacts) => BridgeError>> = {
  authentication: () =>
    new BridgeError('provider_authentication', 'rehearsal: the login has expired'),
  permission_denied: () =>
    new BridgeError('permission_denied', 'rehearsal: the account may not use this model'),
  safety_rejected: (request) =>
    new BridgeError('safety_rejected', 'rehearsal: the request was refused for its content', {
      details: safetyDetails(request, 'input', ['violence']),
    }),
  unsupported_capability: () =>
    new BridgeError('unsupported_capability', 'rehearsal: the model refuses a parameter'),
  rate_limited: () =>
    new BridgeError('rate_limited', 'rehearsal: too many requests', {
      transient: true,
      details: { retry_after_ms: RETRY_AFTER_MS },
    }),
  overloaded: () =>
    new BridgeError('overloaded', 'rehearsal: the provider is at capacity', {
      details: { retry_after_ms: RETRY_AFTER_MS },
    }),
  timeout: () =>
    new BridgeError('timeout', 'rehearsal: the provider timed out before its image was complete', {
      effect: 'unknown',
    }),
  upstream: () =>
    new BridgeError('upstream', 'rehearsal: the provider failed, and a retry would fail too', {
      retryable: false,
    }),
  protocol: () => new BridgeError('protocol', 'rehearsal: the provider sent an invalid reply'),
};

export function rehearsedError(failure: RehearsedFailure, request: CallFacts): BridgeError {
  return FAILURES[failure](request);
}

/** A failure after which a retry succeeds. */
export function transientError(): BridgeError {
  return new BridgeError('upstream', 'rehearsal: the first attempt fails, the next one succeeds', {
    retryable: true,
    transient: true,
  });
}
