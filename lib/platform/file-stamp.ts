import type { BigIntStats } from 'node:fs';
import type { Clock } from './clock.ts';

// File times advance in steps of some milliseconds: two changes within one step cannot be distinguished.
const FILE_TIME_STEP_MS = 50;

/** Names one state of one file: what contract.md 6 compares. */
export function toFileStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * Whether every later change is certain to change the stamp. Where the clock and the file system's disagree by more than
 * the step, it is always taken to be; that costs nothing.
 */
export function isStampSettled({ ctimeMs }: BigIntStats, clock: Pick<Clock, 'nowMs'>): boolean {
  return Math.abs(clock.nowMs() - Number(ctimeMs)) > FILE_TIME_STEP_MS;
}
