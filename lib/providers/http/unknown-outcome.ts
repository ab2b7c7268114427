import { BridgeError } from '../../errors/bridge-error.ts';

/** The upstream may have done the work, but its response cannot say so. `reason` is a stable name for `details`. */
export function unknownOutcome(reason: string): BridgeError {
  return new BridgeError('protocol', 'the response of the upstream cannot be read to its end', {
    retryable: false,
    details: { outcome: 'unknown', reason },
  });
}
