import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const WRITABLE_BY_OTHERS = 0o022n;

/** Returns true if the file is writable by its group or by others. */
export function isWritableByOthers({ mode }: BigIntStats): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0n;
}

/** Resolves with the first `size` bytes of the file, or with fewer bytes if the file shrinks while it is read. */
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
