import type { Size } from '../../images/measure-image.ts';
import type { Zoomed } from '../../zoom/zoom.ts';
import type { Rect } from '../plane.ts';

/** A view of the plane: the pixel (x, y) is at (left + x · scale, top + y · scale) on the stage, in CSS pixels. */
export interface View {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

/** Returns the view that shows a whole area of the plane, centred with a margin, after the zoom is applied. */
export function toView(area: Rect, stage: Size, margin: number, { x, y, k }: Zoomed): View {
  const fit = Math.min(
    (stage.width - 2 * margin) / area.width,
    (stage.height - 2 * margin) / area.height,
  );
  const scale = Math.max(fit, 1 / Math.max(area.width, area.height));
  return {
    left: k * ((stage.width - area.width * scale) / 2 - area.x * scale) + x,
    top: k * ((stage.height - area.height * scale) / 2 - area.y * scale) + y,
    scale: k * scale,
  };
}

/** Returns the rectangle in which an area of the plane appears on the stage, in CSS pixels. */
export function seenAt({ x, y, width, height }: Rect, { left, top, scale }: View): Rect {
  return { x: left + x * scale, y: top + y * scale, width: width * scale, height: height * scale };
}

/** Returns the area of the plane that appears in an area of the stage, extended to whole pixels. */
export function planeAt({ x, y, width, height }: Rect, { left, top, scale }: View): Rect {
  const [px, py] = [Math.floor((x - left) / scale), Math.floor((y - top) / scale)];
  return {
    x: px,
    y: py,
    width: Math.ceil((x + width - left) / scale) - px,
    height: Math.ceil((y + height - top) / scale) - py,
  };
}

/** Returns the same view in pixels of a canvas that has `density` pixels per CSS pixel. */
export function scaledBy({ left, top, scale }: View, density: number): View {
  return { left: left * density, top: top * density, scale: scale * density };
}

/**
 * Returns the size of the canvas on which an image is drawn, in pixels. `scale` is the number of screen pixels per
 * pixel of the image. A smaller canvas is faster, because the browser scales it in each frame of a stroke.
 */
export function drawnSize({ width, height }: Size, scale: number): Size {
  const times = Math.max(1, 2 ** Math.floor(Math.log2(1 / scale)));
  return { width: Math.ceil(width / times), height: Math.ceil(height / times) };
}
