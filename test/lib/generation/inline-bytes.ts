import { expect } from 'vitest';
import type { ImageWithBytes } from '../../../lib/contract/reply/image-response.ts';

/** Returns the bytes of an image that is delivered in the reply. */
export function inlineBytes(image: ImageWithBytes | undefined): Buffer {
  return image?.type === 'b64_json' ? image.b64_json.toBuffer() : expect.fail('not inline');
}
