import type { Canvas } from '../image.ts';

/** The area of a canvas in an image that shows the canvas in any size: whole pixels, at least one each way. */
export function areaIn(
  canvas: Canvas,
  image: { readonly width: number; readonly height: number },
): Canvas['area'] {
  const { left, top, width, height } = canvas.area;
  const across = scaled(left, width, image.width / canvas.width, image.width);
  const down = scaled(top, height, image.height / canvas.height, image.height);
  return { left: across.start, top: down.start, width: across.length, height: down.length };
}

function scaled(start: number, length: number, scale: number, limit: number) {
  const first = Math.min(Math.round(start * scale), limit - 1);
  const end = Math.round((start + length) * scale);
  return { start: first, length: Math.max(1, end - first) };
}
