import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity } from 'd3-zoom';
import type { Size } from '../images/size.ts';

/** A zoom of a stage: its point p appears at k · p + (x, y). A factor k of 1 shows the whole stage. */
export interface Zoomed {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

/** Returns the nearest zoom that shows nothing beyond the edges of the stage. */
export function keepInside({ x, y, k }: Zoomed, stage: Size): Zoomed {
  return {
    x: Math.min(0, Math.max(stage.width * (1 - k), x)),
    y: Math.min(0, Math.max(stage.height * (1 - k), y)),
    k,
  };
}

/** The factor of one zoom step. */
export const STEP = 1.5;
const MOST = 32;

/**
 * Creates the zoom behaviour of an element, from a factor of 1 to 32, limited to its edges. `filter` decides which
 * events start a zoom.
 */
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
