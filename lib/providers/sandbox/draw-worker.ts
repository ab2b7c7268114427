import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { DrawingTask } from './drawing/drawing-task.ts';
import { render } from './drawing/render.ts';

/** What the pool's threads run. Pixels go back by transfer, not by copy; undefined means that the drawing was stopped. */
export function draw(task: DrawingTask) {
  const drawing = render(task);
  if (drawing === undefined) return undefined;
  const pictures = [drawing.picture, ...drawing.previews];
  return move({
    [transferableSymbol]: pictures.map(({ data }) => data),
    [valueSymbol]: drawing,
  });
}
