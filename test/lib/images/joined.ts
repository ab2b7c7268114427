import type { ImageInParts } from '../../../lib/images/image.ts';

/** Returns an image in parts as an image whose bytes are in one buffer. */
export function joined<Image extends ImageInParts>({ bytes, ...facts }: Image) {
  return { ...facts, bytes: bytes.toBuffer() };
}
