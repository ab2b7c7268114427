import type { BigIntStats } from 'node:fs';
import type { Clock } from './clock.ts';

// File times advance in steps of some milliseconds, so two changes within one step cannot be distinguished.
const FILE_TIME_STEP_MS = 50;

/** Returns a text that identifies one state of one file. */
export function toFileStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * Returns true if every later change of the file certainly changes the stamp. If the clock and the clock of the file system
 * differ by more than one step, the result is always true.
 */
export function isStampSettled({ ctimeMs }: BigIntStats, clock: Pick<Clock, 'nowMs'>): boolean {
  return Math.abs(clock.nowMs() - Number(ctimeMs)) > FILE_TIME_STEP_MS;
}
