import type { Job } from '../../api/schemas.ts';
import type { Size } from '../../images/measure-image.ts';
import { parseSize } from '../../make/size/shapes.ts';
import type { Zoomed } from '../../zoom/zoom.ts';

export interface Rect extends Size {
  readonly left: number;
  readonly top: number;
}

/** The largest factor by which a small image is enlarged to fill the pane. */
const MAX_ENLARGED = 2;

/** Returns the maximum length of the longest edge of these images before zooming, in CSS pixels. */
export function longestShown(sizes: readonly Size[]): number {
  return MAX_ENLARGED * Math.max(1, ...sizes.flatMap(({ width, height }) => [width, height]));
}

/** Returns the rectangle of a whole image that is centred in its pane. No edge is longer than `longest` CSS pixels. */
export function fitInto(image: Size, pane: Size, longest: number): Rect {
  const scale = Math.min(
    pane.width / image.width,
    pane.height / image.height,
    longest / Math.max(image.width, image.height),
  );
  const width = Math.max(0, image.width * scale);
  const height = Math.max(0, image.height * scale);
  return { left: (pane.width - width) / 2, top: (pane.height - height) / 2, width, height };
}

/** Returns the visible part of a zoomed rectangle in its pane. */
export function seenOf(rect: Rect, { x, y, k }: Zoomed, pane: Size): Rect {
  const left = clamp(rect.left * k + x, 0, pane.width);
  const top = clamp(rect.top * k + y, 0, pane.height);
  const right = clamp((rect.left + rect.width) * k + x, 0, pane.width);
  const bottom = clamp((rect.top + rect.height) * k + y, 0, pane.height);
  return { left, top, width: right - left, height: bottom - top };
}

/** Returns the number of columns that shows `count` images of this ratio (width divided by height) largest. */
export function columnsFor(count: number, ratio: number, pane: Size): number {
  let best = { columns: 1, area: 0 };
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const width = Math.min(pane.width / columns, (pane.height / rows) * ratio);
    const area = (width * width) / ratio;
    if (area > best.area) best = { columns, area };
  }
  return best.columns;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

const UNKNOWN = { width: 1536, height: 1024 };
const AREA = 1024 * 1024;

/**
 * Returns a size with the shape in which an open job is shown: the requested shape, else the shape of its unfinished
 * image, else 3:2.
 */
export function openSize({ request }: Pick<Job, 'request'>, unfinished?: Size): Size {
  const { size, aspect_ratio: shape } = request.parameters;
  const [width = 0, height = 0] = (shape ?? '').split(':').map(Number);
  if (width > 0 && height > 0) {
    const scale = Math.sqrt(AREA / (width * height));
    return { width: Math.round(width * scale), height: Math.round(height * scale) };
  }
  return parseSize(size) ?? unfinished ?? UNKNOWN;
}
