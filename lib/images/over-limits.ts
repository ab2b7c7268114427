import type { ImageFault, ImageLimits } from './image.ts';

/** Why an image of this size is not decoded, whatever its content; undefined for one within the limits. */
export function overLimits(
  { bytes, width, height }: { readonly [K in 'bytes' | 'width' | 'height']: number },
  limits: Omit<ImageLimits, 'max_decode_ms'>,
): ImageFault | undefined {
  if (bytes > limits.max_encoded_bytes) return 'too_many_bytes';
  if (Math.max(width, height) > limits.max_edge) return 'edge_too_long';
  return width * height > limits.max_pixels ? 'too_many_pixels' : undefined;
}
