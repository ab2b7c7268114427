import { type ReadonlySignal, signal } from '@preact/signals';

const KEY = 'image-bridge.tile-scale';
export const SMALLEST = 0.6;
export const LARGEST = 2;

const stored = Number.parseFloat(localStorage.getItem(KEY) ?? '1');
const scale = signal(stored >= SMALLEST && stored <= LARGEST ? stored : 1);

/** The user's scale for row heights, stored in this browser. */
export const tileScale: ReadonlySignal<number> = scale;

export function setTileScale(next: number): void {
  scale.value = next;
  localStorage.setItem(KEY, String(next));
}
