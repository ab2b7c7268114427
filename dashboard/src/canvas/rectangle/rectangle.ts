import type { Size } from '../../images/measure-image.ts';
import type { Rect } from '../plane.ts';

/** The texts that the user has typed for a rectangle. */
export type RectangleText = Readonly<Record<keyof Rect, string>>;

export function parseRectangle(typed: RectangleText): Rect {
  const { x, y, width, height } = typed;
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
}

/** Returns the first field that is not a whole number or leads outside the image, or undefined if there is none. */
export function rectangleFault(typed: RectangleText, source: Size): keyof Rect | undefined {
  for (const name of ['x', 'y', 'width', 'height'] as const) {
    if (!/^\d{1,5}$/.test(typed[name])) return name;
  }
  const { x, y, width, height } = parseRectangle(typed);
  if (x >= source.width) return 'x';
  if (y >= source.height) return 'y';
  if (width === 0 || x + width > source.width) return 'width';
  if (height === 0 || y + height > source.height) return 'height';
  return undefined;
}
