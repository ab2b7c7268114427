import { effect, type ReadonlySignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Size } from '../../images/size.ts';
import type { Painting } from '../painting.ts';
import { type Rect, unite } from '../plane.ts';
import { createOverlay } from './overlay.ts';
import type { View } from './stage-view.ts';

interface Deps {
  readonly stage: RefObject<HTMLElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly painting: Painting;
  readonly view: ReadonlySignal<View>;
  /** The stage's, in CSS pixels; kept up to date. */
  readonly size: Signal<Size>;
}

/** Keeps the canvas showing what may change: drawn once a frame, what has changed of it alone where nothing moves. */
export function useOverlay({ stage, canvas, painting, view, size }: Deps): void {
  useEffect(() => {
    if (canvas.current === null || stage.current === null) return;
    const overlay = createOverlay(canvas.current, painting.plane, Math.min(2, devicePixelRatio));
    let frame = 0;
    let changed: Rect | undefined;
    let drawn: { view: View; size: Size } | undefined;

    function draw(): void {
      frame = 0;
      const next = { view: view.peek(), size: size.peek() };
      const isMoved = drawn?.view !== next.view || drawn.size !== next.size;
      if (drawn?.size !== next.size) overlay.resize(next.size);
      if (changed !== undefined) overlay.draw(next.view, changed);
      if (isMoved) overlay.draw(next.view);
      drawn = next;
      changed = undefined;
    }
    function schedule(): void {
      if (frame === 0) frame = requestAnimationFrame(draw);
    }

    const stopPainting = painting.subscribe((rect) => {
      changed = unite(changed, rect);
      schedule();
    });
    const stopMoving = effect(() => {
      void view.value;
      schedule();
    });
    const observer = new ResizeObserver(([entry]) => {
      const { width = 1, height = 1 } = entry?.contentRect ?? {};
      size.value = { width, height };
    });
    observer.observe(stage.current);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      stopPainting();
      stopMoving();
    };
  }, [stage, canvas, painting, view, size]);
}
