import type { ImageResponse, ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { toFlatError } from '../errors/error-body.ts';
import type { JobFailure } from './job-end-port.ts';

const INTERRUPTED = 'interrupted';

/** The end of a job of unknown outcome: its images may have been made, and paid for (contract.md 3). */
export function interruption(): BridgeError {
  return new BridgeError('cancelled', 'the bridge stopped while the job was running', {
    retryable: false,
    details: { outcome: 'unknown', reason: INTERRUPTED },
  });
}

export function isInterruption(error: unknown): boolean {
  return error instanceof BridgeError && error.details['reason'] === INTERRUPTED;
}

/** Returns how a job ends that fails with this error. */
export function endOf(error: BridgeError) {
  if (isInterruption(error)) return 'interrupted';
  return error.code === 'cancelled' ? 'cancelled' : 'failed';
}

/** The end of a job that its owner has cancelled. */
export function cancellation(): BridgeError {
  return new BridgeError('cancelled', 'the job was cancelled');
}

/** The end of a job that the operator of the queue has cancelled. */
export function operatorCancellation(): BridgeError {
  return cancellation().with({ details: { reason: 'operator' } });
}

/** A failure as jobs keep it. */
export function toJobFailure(error: BridgeError): JobFailure {
  const { suggestions, ...flat } = toFlatError(error);
  return { ...flat, suggestions: [...suggestions] };
}

/** The response without bytes: the images of a job are artifacts. Throws `internal` when one is not. */
export function toArtifactResult(response: ImageResponseWithBytes): ImageResponse {
  const data = response.data.map((image) => {
    if (image.type === 'artifact') return image;
    throw new BridgeError('internal', 'a job has made an image that is no artifact');
  });
  return { ...response, data };
}
