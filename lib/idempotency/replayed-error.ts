import { REPLAYED } from '../contract/request/image-request.ts';
import { BridgeError } from '../errors/bridge-error.ts';

/** Whether the provider may have made, and charged for, an image that was not delivered. */
export function isUnknownOutcome(error: BridgeError): boolean {
  return error.details['outcome'] === 'unknown';
}

/** The failure of another request as the reply to an equal one. */
export function toReplayedError(error: BridgeError): BridgeError {
  return copyOf(error, REPLAYED);
}

/** A failure to store, without its cause: that may hold whole replies in memory. */
export function toStoredError(error: BridgeError): BridgeError {
  return copyOf(error, {});
}

function copyOf(error: BridgeError, headers: Readonly<Record<string, string>>): BridgeError {
  const { param, provider, upstreamRequestId, details, retryable, transient } = error;
  return new BridgeError(error.code, error.message, {
    ...(param === null ? {} : { param }),
    ...(provider === undefined ? {} : { provider }),
    ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
    details,
    retryable,
    transient,
    headers: { ...error.headers, ...headers },
  });
}
