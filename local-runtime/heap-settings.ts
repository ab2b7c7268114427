import { setFlagsFromString } from 'node:v8';

/** Sets how V8 collects garbage in a process whose memory is mostly images outside its heap. */
export function applyHeapSettings(): void {
  // The old generation may grow to five times what a full collection left. V8 derives its limit from the few objects of a
  // bridge and counts the images outside the heap against it: it would collect everything every few images.
  setFlagsFromString('--heap-growing-percent=400');
  // The young generation stays as small as it is at the start. It would grow to 16 MB, and each of its few small objects
  // can hold 64 KB that came from a socket: these would fill a hundred megabytes before the next collection.
  setFlagsFromString('--semi-space-growth-factor=1');
}
