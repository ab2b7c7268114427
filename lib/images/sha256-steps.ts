import { createHash } from 'node:crypto';
import type { Steps } from '../platform/time-slices.ts';

// Hashing this many bytes takes about 2 ms.
const STEP_BYTES = 4 * 1024 * 1024;

/** Computes the SHA-256 of bytes in one or more parts, in steps. Returns lowercase hexadecimal. */
export function* sha256Steps(...parts: readonly Buffer[]): Steps<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    for (let from = 0; from < part.length; from += STEP_BYTES) {
      hash.update(part.subarray(from, from + STEP_BYTES));
      yield;
    }
  }
  return hash.digest('hex');
}
