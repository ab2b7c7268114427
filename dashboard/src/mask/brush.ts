import { type ReadonlySignal, signal } from '@preact/signals';
import type { Size } from '../images/measure-image.ts';
import type { Tool } from './plane.ts';

export type Brush = ReturnType<typeof createBrush>;

/** Creates the brush: the current tool and its size. */
export function createBrush(source: Size) {
  const tool = signal<Tool>('brush');
  const size = signal(firstSize(source));
  return {
    tool: tool as ReadonlySignal<Tool>,
    /** The diameter in pixels of the source. */
    size: size as ReadonlySignal<number>,

    choose(next: Tool): void {
      tool.value = next;
    },
    setSize(next: number): void {
      size.value = clampSize(next, source);
    },
    step(direction: 1 | -1): void {
      size.value = stepSize(size.peek(), direction, source);
    },
  };
}

/** Sizes are diameters in pixels of the source. */
const MIN = 2;
const STEP = 1.15;

/** Returns the largest size: half of the longest edge. */
function maxOf({ width, height }: Size): number {
  return Math.max(MIN + 1, Math.round(Math.max(width, height) / 2));
}

/** Returns the initial size: a tenth of the longest edge. */
export function firstSize(source: Size): number {
  return clampSize(Math.round(Math.max(source.width, source.height) / 10), source);
}

export function clampSize(size: number, source: Size): number {
  return Math.min(maxOf(source), Math.max(MIN, Math.round(size)));
}

/** Returns the next size for the keyboard: about a seventh more or less, and at least one pixel. */
export function stepSize(size: number, direction: 1 | -1, source: Size): number {
  const next = direction > 0 ? Math.ceil(size * STEP) : Math.floor(size / STEP);
  return clampSize(next, source);
}

/**
 * Returns the position of a size on a slider from 0 to 100. The scale is logarithmic: equal distances are equal ratios.
 */
export function toPosition(size: number, source: Size): number {
  return Math.round((100 * Math.log(size / MIN)) / Math.log(maxOf(source) / MIN));
}

export function fromPosition(position: number, source: Size): number {
  return clampSize(MIN * (maxOf(source) / MIN) ** (position / 100), source);
}
