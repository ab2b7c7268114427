import type { Size } from '../../images/size.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { longestShown } from './geometry.ts';

/** The longest edge that these images have before they are zoomed. */
export function useLongest(images: readonly JobImage[]): number {
  const { measured } = useLook();
  const sizes = images
    .map(({ size, path }) => size ?? measured.value.get(path))
    .filter((size): size is Size => size !== undefined);
  return sizes.length < images.length ? Number.POSITIVE_INFINITY : longestShown(sizes);
}
