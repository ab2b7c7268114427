import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { effectOf } from '../errors/call-effect.ts';

/** Creates the failure of a call whose reply cannot be read, although the work may be done. `reason`: a stable name. */
export function unknownOutcome(reason: string): BridgeError {
  return new BridgeError('protocol', 'the response of the upstream cannot be read to its end', {
    effect: 'unknown',
    details: { reason },
  });
}

/** Creates the failure of a call whose reply is complete, and whose images cannot be used. `reason`: a stable name. */
export function unusableImages(message: string, reason: string, cause?: unknown): BridgeError {
  return new BridgeError('protocol', message, { effect: 'made', details: { reason }, cause });
}

/**
 * Returns the failure of a call that failed after its output had begun. Whatever the provider reports then, the image may be
 * finished and paid for.
 */
export function afterOutputBegan(thrown: unknown): BridgeError {
  const error = toBridgeError(thrown);
  return effectOf(error) === 'made' ? error : error.with({ effect: 'unknown' });
}
