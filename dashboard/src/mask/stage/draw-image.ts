import { contextOf, createLayer, patternOf } from './canvas.ts';

/** Behind what is transparent, in both themes. */
const SQUARES = ['oklch(0.6 0 0)', 'oklch(0.72 0 0)'] as const;
/** Squares along the longest edge. */
const COUNT = 64;

/** Draws an image over a whole canvas, on grey squares where it is transparent. */
export function drawImage(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const context = contextOf(canvas);
  context.imageSmoothingQuality = 'medium';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const side = Math.max(1, Math.round(Math.max(canvas.width, canvas.height) / COUNT));
  const tile = createLayer(2 * side, 2 * side);
  for (const [index, colour] of [...SQUARES, ...SQUARES.toReversed()].entries()) {
    tile.fillStyle = colour;
    tile.fillRect((index % 2) * side, Math.floor(index / 2) * side, side, side);
  }
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = patternOf(tile);
  context.fillRect(0, 0, canvas.width, canvas.height);
}
