import type { Size } from '../../images/size.ts';
import type { JobImage } from '../state/job-images.ts';

/** The longest edge of the largest preview that the bridge makes. */
const PREVIEW_EDGE = 2048;
/** The largest image that the browser is asked to decode, in pixels. Its bitmap has four bytes per pixel. */
const MOST_PIXELS = 8192 * 8192;

/** The addresses from which an image is shown. */
export interface ImageSource {
  /** The path that is shown first. */
  readonly path: string;
  /** The path that replaces `path` when more pixels are needed than it has. */
  readonly full: string | undefined;
  /** True if the image is too large to be shown in full. */
  readonly isReduced: boolean;
}

/** Returns the addresses of an image: the original, or a preview first if the image is large or of unknown size. */
export function imageSource({ path, size }: Pick<JobImage, 'path' | 'size'>): ImageSource {
  if (size !== undefined && Math.max(size.width, size.height) <= PREVIEW_EDGE) {
    return { path, full: undefined, isReduced: false };
  }
  const isReduced = size !== undefined && size.width * size.height > MOST_PIXELS;
  return {
    path: `${path}/thumbnail?edge=${PREVIEW_EDGE}`,
    full: isReduced ? undefined : path,
    isReduced,
  };
}

/** Returns true if more pixels are needed than a preview has. `shown` is the size before zooming in CSS pixels. */
export function needsFull(shown: Size, k: number, density: number): boolean {
  return Math.max(shown.width, shown.height) * k * density > PREVIEW_EDGE;
}
