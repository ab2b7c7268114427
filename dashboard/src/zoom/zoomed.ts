import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity } from 'd3-zoom';
import type { Size } from '../images/size.ts';

/** A zoom of a stage: its point p is seen at k · p + (x, y). 1 shows it whole. */
export interface Zoomed {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

/** The nearest zoom that shows nothing beyond the edges of the stage. */
export function keepInside({ x, y, k }: Zoomed, stage: Size): Zoomed {
  return {
    x: Math.min(0, Math.max(stage.width * (1 - k), x)),
    y: Math.min(0, Math.max(stage.height * (1 - k), y)),
    k,
  };
}

/** By how much one step zooms. */
export const STEP = 1.5;
const MOST = 32;

/** The zoom of an element between whole and 32 times, never beyond its edges. `filter` says which events begin one. */
export function createZoomBehaviour(
  filter: (this: HTMLElement, event: Event) => boolean,
  onZoom: (event: D3ZoomEvent<HTMLElement, unknown>) => void,
): ZoomBehavior<HTMLElement, unknown> {
  return zoom<HTMLElement, unknown>()
    .scaleExtent([1, MOST])
    .filter(filter)
    .constrain((next, [[left, top], [right, bottom]]) => {
      const { x, y, k } = keepInside(next, { width: right - left, height: bottom - top });
      return x === next.x && y === next.y ? next : zoomIdentity.translate(x, y).scale(k);
    })
    .on('zoom', onZoom);
}
