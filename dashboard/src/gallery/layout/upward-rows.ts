import { type Frame, heightOf, type Shape } from './row-layout.ts';

/**
 * Returns the indexes after the last card of each row of a day that is read from its last card upwards. The rows are filled from the
 * last card, so that newer cards change at most the first row.
 */
export function upwardRows(
  shapes: readonly Shape[],
  from: number,
  to: number,
  frame: Frame,
): readonly number[] {
  const ends: number[] = [];
  for (let end = to; end > from; ) {
    ends.push(end);
    end = startOfRow(shapes, from, end, frame);
  }
  return ends.toReversed();
}

/** Returns the index of the first card of the row that ends before `end`. The height of the row is nearest to the target height. */
function startOfRow(shapes: readonly Shape[], from: number, end: number, frame: Frame): number {
  let ratios = 0;
  for (let at = end - 1; at >= from; at -= 1) {
    const without = heightOf(ratios, end - at - 1, frame);
    ratios += shapes[at]?.ratio ?? 1;
    const height = heightOf(ratios, end - at, frame);
    if (height > frame.rowHeight) continue;
    const isNearer = frame.rowHeight - height <= without - frame.rowHeight;
    return at === end - 1 || isNearer ? at : at + 1;
  }
  return from;
}

/**
 * Returns the cards without those of the first row if the row may get further cards, because it would then change before the eyes of
 * the user. `to` is the index after the last card of the first day.
 */
export function withoutOpenRow(
  shapes: readonly Shape[],
  to: number,
  frame: Frame,
): readonly Shape[] {
  const [end = 0] = upwardRows(shapes, 0, to, frame);
  const ratios = shapes.slice(0, end).reduce((sum, { ratio }) => sum + ratio, 0);
  const isOpen = heightOf(ratios, end, frame) > frame.rowHeight;
  return isOpen && end < shapes.length ? shapes.slice(end) : shapes;
}
