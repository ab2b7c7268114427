import { type ReadonlySignal, signal } from '@preact/signals';
import type { Size } from '../images/measure-image.ts';

/** The tools of the stage. `move` moves the view; the others change the mask. */
export const TOOLS = ['brush', 'eraser', 'lasso', 'rectangle', 'move'] as const;
export type StageTool = (typeof TOOLS)[number];

export type Brush = ReturnType<typeof createBrush>;

/** Creates the brush, which holds the current tool and its size. `source` is the size of the source image. */
export function createBrush(source: Size) {
  const tool = signal<StageTool>('brush');
  const size = signal(firstSize(source));
  const takes = signal(false);
  return {
    tool: tool as ReadonlySignal<StageTool>,
    /** The diameter in pixels of the source. */
    size: size as ReadonlySignal<number>,

    /** True if the lasso and the rectangle remove from the mask instead of adding to it. */
    takes: takes as ReadonlySignal<boolean>,

    choose(next: StageTool): void {
      tool.value = next;
    },
    setTakes(next: boolean): void {
      takes.value = next;
    },
    setSize(next: number): void {
      size.value = clampSize(next, source);
    },
    step(direction: 1 | -1): void {
      size.value = stepSize(size.peek(), direction, source);
    },
  };
}

/** The smallest size of the brush. A size is the diameter in pixels of the source. */
const MIN = 2;
const STEP = 1.15;

/** Returns the largest size of the brush: half of the longest edge of the source. */
function maxOf({ width, height }: Size): number {
  return Math.max(MIN + 1, Math.round(Math.max(width, height) / 2));
}

/** Returns the initial size of the brush: a tenth of the longest edge of the source. */
export function firstSize(source: Size): number {
  return clampSize(Math.round(Math.max(source.width, source.height) / 10), source);
}

export function clampSize(size: number, source: Size): number {
  return Math.min(maxOf(source), Math.max(MIN, Math.round(size)));
}

/** Returns the size of the brush after one key press. The size changes by about a seventh. */
export function stepSize(size: number, direction: 1 | -1, source: Size): number {
  const next = direction > 0 ? Math.ceil(size * STEP) : Math.floor(size / STEP);
  return clampSize(next, source);
}

/** Returns the slider position for a size of the brush, from 0 to 100 on a logarithmic scale. */
export function toPosition(size: number, source: Size): number {
  return Math.round((100 * Math.log(size / MIN)) / Math.log(maxOf(source) / MIN));
}

export function fromPosition(position: number, source: Size): number {
  return clampSize(MIN * (maxOf(source) / MIN) ** (position / 100), source);
}
