import { type ReadonlySignal, signal } from '@preact/signals';
import type { Size } from '../images/size.ts';
import { clampSize, firstSize, stepSize } from './brush-size.ts';
import type { Tool } from './plane.ts';

export type Brush = ReturnType<typeof createBrush>;

/** What paints, and how large it is. */
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
