import { REPLAYED } from '../contract/request/image-request.ts';
import { BridgeError } from '../errors/bridge-error.ts';

/** Whether the provider may have done, and charged for, what nobody has seen. */
export function isUnknownOutcome(error: BridgeError): boolean {
  return error.details['outcome'] === 'unknown';
}

/** A failure of somebody else's request as the answer to an equal one. */
export function toReplayedError(error: BridgeError): BridgeError {
  return copyOf(error, REPLAYED);
}

/** A failure to keep, without what had led to it: a cause can hold on to whole answers. */
export function toStoredError(error: BridgeError): BridgeError {
  return copyOf(error, {});
}

function copyOf(error: BridgeError, headers: Readonly<Record<string, string>>): BridgeError {
  const { param, provider, upstreamRequestId, details, retryable, transient } = error;
  return new BridgeError(error.code, error.message, {
    ...(param === null ? {} : { param }),
    ...(provider === undefined ? {} : { provider }),
    ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
    ...{ details, retryable, transient },
    headers: { ...error.headers, ...headers },
  });
}
