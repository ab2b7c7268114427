import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { effectOf } from '../errors/call-effect.ts';

/** Creates the error of a call whose reply cannot be read, although the work may be done. `reason` is a stable name. */
export function unknownOutcome(reason: string): BridgeError {
  return new BridgeError('protocol', 'the upstream response is incomplete or unreadable', {
    effect: 'unknown',
    details: { reason },
  });
}

/** Creates the error of a call whose reply is complete but whose images cannot be used. `reason` is a stable name. */
export function unusableImages(message: string, reason: string, cause?: unknown): BridgeError {
  return new BridgeError('protocol', message, { effect: 'made', details: { reason }, cause });
}

/**
 * Returns the error of a call that failed after its output had begun. Regardless of the reported failure, the image may
 * be finished and charged.
 */
export function afterOutputBegan(thrown: unknown): BridgeError {
  const error = toBridgeError(thrown);
  return effectOf(error) === 'made' ? error : error.with({ effect: 'unknown' });
}
