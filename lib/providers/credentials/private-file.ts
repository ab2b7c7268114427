import type { BigIntStats } from 'node:fs';

const WRITABLE_BY_OTHERS = 0o022n;

/** Returns true if the file is writable by its group or by others. */
export function isWritableByOthers({ mode }: BigIntStats): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0n;
}
