import { transferResult } from '../../platform/transfer.ts';
import type { DrawingTask } from './drawing/drawing-task.ts';
import { render } from './drawing/render.ts';

/** Runs one drawing task in a drawing thread. Returns undefined if the task was stopped. */
export function draw(task: DrawingTask) {
  const drawing = render(task);
  if (drawing === undefined) return undefined;
  const images = [drawing.image, ...drawing.previews];
  return transferResult(
    drawing,
    images.map(({ data }) => data),
  );
}
