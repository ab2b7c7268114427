import type { Size } from '../../images/size.ts';
import type { JobImage } from '../state/job-images.ts';

/** The longest edge of a preview: what the bridge makes at most. */
const PREVIEW_EDGE = 2048;
/** Beyond this many pixels the browser is not asked to decode an image: its bitmap has four bytes for each of them. */
const MOST_PIXELS = 8192 * 8192;

/** From where an image is shown. */
export interface ImageSource {
  /** Shown first. */
  readonly path: string;
  /** Shown in its place once more pixels are wanted than `path` has. */
  readonly full: string | undefined;
  /** It is larger than what can be shown here. */
  readonly isReduced: boolean;
}

/** Where an image comes from: as it is, or through a preview where it is large or of unknown size. */
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

/** Whether what is shown needs more pixels than a preview has. `shown` is the size before it is zoomed, in CSS pixels. */
export function needsFull(shown: Size, k: number, density: number): boolean {
  return Math.max(shown.width, shown.height) * k * density > PREVIEW_EDGE;
}
