import type { VerifiedImage } from './image.ts';

/** The edges of an image as it is displayed: EXIF orientations from 5 on swap width and height. */
export function uprightEdges({
  width,
  height,
  orientation,
}: Pick<VerifiedImage, 'width' | 'height' | 'orientation'>): { width: number; height: number } {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}
