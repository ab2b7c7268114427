import { BridgeError } from './bridge-error.ts';

/** Returns the failure of work whose token was removed for good while the work was waiting or running. */
export function tokenRemoval(): BridgeError {
  return new BridgeError('cancelled', 'the token that asked for this work was removed', {
    details: { reason: 'token_removed' },
  });
}
