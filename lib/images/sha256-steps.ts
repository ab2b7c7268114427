import { createHash } from 'node:crypto';
import type { Steps } from '../platform/time-slices.ts';

// About 2 ms of hashing.
const STEP_BYTES = 4 * 1024 * 1024;

/** The SHA-256 of `bytes` in lowercase hexadecimal, in steps. */
export function* sha256Steps(bytes: Buffer): Steps<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += STEP_BYTES) {
    hash.update(bytes.subarray(from, from + STEP_BYTES));
    yield;
  }
  return hash.digest('hex');
}
