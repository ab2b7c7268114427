import type { ImageResponse, ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import { BridgeError } from '../errors/bridge-error.ts';

const INTERRUPTED = 'interrupted';

/** Returns the error of a job with an unknown outcome: its images may have been made and paid for. */
export function interruption(): BridgeError {
  return new BridgeError('cancelled', 'the bridge stopped while the job was running', {
    retryable: false,
    details: { outcome: 'unknown', reason: INTERRUPTED },
  });
}

export function isInterruption(error: unknown): boolean {
  return error instanceof BridgeError && error.details['reason'] === INTERRUPTED;
}

/** Returns the final status of a job that fails with this error. */
export function endOf(error: BridgeError) {
  if (isInterruption(error)) return 'interrupted';
  return error.code === 'cancelled' ? 'cancelled' : 'failed';
}

/** Returns the error of a job that its owner cancelled. */
export function cancellation(): BridgeError {
  return new BridgeError('cancelled', 'the job was cancelled');
}

/** Returns the error of a job that the operator of the queue cancelled. */
export function operatorCancellation(): BridgeError {
  return cancellation().with({ details: { reason: 'operator' } });
}

/** Returns the given job. Throws `not_found` if the job is undefined. */
export function foundJob<T>(job: T | undefined): T {
  if (job === undefined) throw new BridgeError('not_found', 'there is no such job');
  return job;
}

/**
 * Returns the response as the result of a job. The result contains no image bytes, because the images of a job are artifacts.
 * Throws `internal` if an image is not an artifact.
 */
export function toArtifactResult(response: ImageResponseWithBytes): ImageResponse {
  const data = response.data.map((image) => {
    if (image.type === 'artifact') return image;
    throw new BridgeError('internal', 'the job returned an image that is not an artifact');
  });
  return { ...response, data };
}
