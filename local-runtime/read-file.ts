import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The regular file in full, or what is wrong with it, as the end of a sentence that its name begins. */
export async function readWholeFile(path: string, maxBytes: number): Promise<Buffer | string> {
  try {
    // Opening a pipe must not wait for its other end.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) return 'is no file';
      if (found.size > maxBytes) return `is longer than ${maxBytes} bytes`;
      const bytes = Buffer.alloc(found.size);
      const { bytesRead } = await file.read(bytes, 0, found.size, 0);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return 'cannot be read';
  }
}
