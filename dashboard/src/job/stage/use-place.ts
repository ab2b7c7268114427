import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Size } from '../../images/size.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { fitInto, longestShown, type Rect, seenOf } from './geometry.ts';

/** The assumed shape of an image until its size has been measured. */
const UNKNOWN: Size = { width: 3, height: 2 };

/**
 * Returns a function that computes the rectangle of an image in its pane before zooming, and its part that is visible
 * now.
 */
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

/** Returns the content size of an element without its padding, in CSS pixels. Undefined before the first layout. */
export function useBox(element: RefObject<HTMLElement | null>): Size | undefined {
  const [box, setBox] = useState<Size | undefined>(undefined);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const { inlineSize: width, blockSize: height } = entry?.contentBoxSize[0] ?? {};
      if (width === undefined || height === undefined) return;
      setBox((before) =>
        before?.width === width && before.height === height ? before : { width, height },
      );
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return box;
}

/** Returns the length of the longest edge of these images before zooming. */
export function useLongest(images: readonly JobImage[]): number {
  const { measured } = useLook();
  const sizes = images
    .map(({ size, path }) => size ?? measured.value.get(path))
    .filter((size): size is Size => size !== undefined);
  return sizes.length < images.length ? Number.POSITIVE_INFINITY : longestShown(sizes);
}
