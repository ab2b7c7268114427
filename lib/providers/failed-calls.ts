import { BridgeError, type Detail, toBridgeError } from '../errors/bridge-error.ts';
import { effectOf } from '../errors/call-effect.ts';

/**
 * Creates the error for a call whose reply cannot be read. The backend may have generated the image. `reason` is a
 * stable name.
 */
export function unknownOutcome(reason: string): BridgeError {
  return new BridgeError('protocol', 'the upstream response is incomplete or unreadable', {
    effect: 'unknown',
    details: { reason },
  });
}

/** Creates the error for a call whose reply is complete but whose images cannot be used. `reason` is a stable name. */
export function unusableImages(message: string, reason: string, cause?: unknown): BridgeError {
  return new BridgeError('protocol', message, { effect: 'made', details: { reason }, cause });
}

/**
 * Converts the error of a call that failed after its output had begun. The result has the effect `made` or `unknown`,
 * because the image may be finished and charged regardless of the reported failure.
 */
export function afterOutputBegan(thrown: unknown): BridgeError {
  const error = toBridgeError(thrown);
  return effectOf(error) === 'made' ? error : error.with({ effect: 'unknown' });
}

/** Creates the error for a call that the backend does not support. `field` is the request field at fault. */
export function unsupported(
  field: string,
  message: string,
  details: { readonly [key: string]: Detail } = {},
): BridgeError {
  return new BridgeError('unsupported_capability', message, {
    param: field,
    details: { field, ...details },
  });
}
