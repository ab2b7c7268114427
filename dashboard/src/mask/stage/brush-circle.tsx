import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Size } from '../../images/size.ts';
import type { Painting } from '../painting.ts';
import type { View } from './stage-view.ts';
import type { Place } from './use-strokes.ts';
import './brush-circle.css';

interface Props {
  readonly painting: Painting;
  readonly view: ReadonlySignal<View>;
  readonly at: ReadonlySignal<Place | undefined>;
  readonly stage: ReadonlySignal<Size>;
}

const SHOWN_MS = 900;

/** The brush as large as it paints: at the pointer, and in the middle for a moment when its size changes. */
export function BrushCircle({ painting, view, at, stage }: Props) {
  const isChanging = useChanging(painting.brush.size);
  const circle = useComputed(() => {
    const diameter = painting.brush.size.value * painting.scale * view.value.scale;
    const middle = { x: stage.value.width / 2, y: stage.value.height / 2 };
    const place = at.value ?? (isChanging.value ? middle : undefined);
    return place && { diameter, x: place.x - diameter / 2, y: place.y - diameter / 2 };
  });
  if (circle.value === undefined) return null;
  const { diameter, x, y } = circle.value;
  return (
    <i
      class="brush-circle"
      data-tool={painting.brush.tool.value}
      style={{
        inlineSize: `${diameter}px`,
        blockSize: `${diameter}px`,
        transform: `translate(${x}px, ${y}px)`,
      }}
    />
  );
}

/** Whether a value has changed within the last second. */
function useChanging(value: ReadonlySignal<number>): ReadonlySignal<boolean> {
  const isChanging = useSignal(false);
  const first = useRef(value.peek());
  const { value: current } = value;
  useEffect(() => {
    if (current === first.current) return;
    first.current = Number.NaN;
    isChanging.value = true;
    const timer = setTimeout(() => {
      isChanging.value = false;
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [current, isChanging]);
  return isChanging;
}
