import type { Size } from '../../images/size.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { fitInto, type Rect, seenOf } from './geometry.ts';

/** What an image is assumed to be until it is measured. */
const UNKNOWN: Size = { width: 3, height: 2 };

/** The function that tells the place of an image in its pane: before it is zoomed, and what is seen of it now. */
export function usePlace(): (
  image: JobImage,
  pane: Size,
  longest: number,
) => { readonly whole: Rect; readonly seen: Rect } {
  const { zoom, measured } = useLook();
  const { value: sizes } = measured;
  const { value: transform } = zoom.transform;
  return (image, pane, longest) => {
    const size = image.size ?? sizes.get(image.path) ?? UNKNOWN;
    const whole = fitInto(size, pane, longest);
    return { whole, seen: seenOf(whole, transform, pane) };
  };
}
