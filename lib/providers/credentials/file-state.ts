import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.ts';

const WRITABLE_BY_OTHERS = 0o022n;

// File times advance in steps of some milliseconds: a change within the step of the one before does not change the stamp.
const FILE_TIME_STEP_MS = 50;

/** Names one state of one file. */
export function toStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Whether every later change is certain to change the stamp, as far as the clock agrees with the file system's. */
export function isSettled({ ctimeMs }: BigIntStats, clock: Pick<Clock, 'nowMs'>): boolean {
  return Math.abs(clock.nowMs() - Number(ctimeMs)) > FILE_TIME_STEP_MS;
}

/** Whether its group or others may write it. */
export function isWritableByOthers({ mode }: BigIntStats): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0n;
}

/** What can be read of that many bytes: a file that shrinks meanwhile gives fewer. */
export async function readBytes(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await file.read(bytes, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}
