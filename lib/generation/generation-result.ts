import type { PendingPublication } from '../artifacts/publisher.ts';
import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';

export interface GenerationResult {
  readonly response: ImageResponseWithBytes;
  /** For the caller to commit, or to discard. */
  readonly publications: readonly PendingPublication[];
}
