import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow to five times what a full collection left. V8 sets its bound by the few objects of a bridge and
 * then counts the images that lie outside the heap against it, so that it would collect everything every few images.
 */
export function letHeapGrow(): void {
  setFlagsFromString('--heap-growing-percent=400');
}
