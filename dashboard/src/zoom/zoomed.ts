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
