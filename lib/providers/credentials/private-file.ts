import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const WRITABLE_BY_OTHERS = 0o022n;

/** Returns true if the group or others may write the file. */
export function isWritableByOthers({ mode }: BigIntStats): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0n;
}

/** Reads up to `size` bytes. Returns fewer bytes if the file shrinks meanwhile. */
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
