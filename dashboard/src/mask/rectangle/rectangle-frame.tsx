import type { ReadonlySignal } from '@preact/signals';
import type { Rect } from '../plane.ts';
import { seenAt, type View } from '../stage/stage-view.ts';
import './rectangle-frame.css';

interface Props {
  /** In pixels of the source. */
  readonly frame: ReadonlySignal<Rect | undefined>;
  /** Pixels of the plane for one of the source. */
  readonly scale: number;
  readonly view: ReadonlySignal<View>;
}

/** Where the rectangle is that is being typed. */
export function RectangleFrame({ frame, scale, view }: Props) {
  if (frame.value === undefined) return null;
  const { left, top, scale: zoom } = view.value;
  const { x, y, width, height } = seenAt(frame.value, { left, top, scale: zoom * scale });
  return (
    <i
      class="rectangle-frame"
      style={{
        inlineSize: `${width}px`,
        blockSize: `${height}px`,
        transform: `translate(${x}px, ${y}px)`,
      }}
    />
  );
}
