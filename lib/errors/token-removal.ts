import { BridgeError } from './bridge-error.ts';

/** Returns the failure of work whose token was removed permanently while the work was waiting or running. */
export function tokenRemoval(): BridgeError {
  return new BridgeError('cancelled', 'the token of this request was removed', {
    details: { reason: 'token_removed' },
  });
}
