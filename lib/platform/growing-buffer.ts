import { freeBuffer } from './free-buffer.ts';

interface Options {
  /** The expected length in bytes. If the length is exact, no byte is copied twice. */
  readonly initialBytes: number;
  /** The length up to which the buffer doubles. Above this length, the buffer grows only by the appended bytes. */
  readonly maxBytes?: number;
}

/** Creates a buffer that joins chunks of any length. Even for a million one-byte chunks, each byte is copied about twice. */
export function createGrowingBuffer({ initialBytes, maxBytes = Infinity }: Options) {
  let memory = Buffer.allocUnsafe(initialBytes);
  let length = 0;

  return {
    append(chunk: Uint8Array): void {
      const needed = length + chunk.length;
      if (needed > memory.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(memory.length * 2, maxBytes)));
        memory.copy(larger, 0, 0, length);
        memory = larger;
      }
      memory.set(chunk, length);
      length = needed;
    },
    length: () => length,
    /** Returns all bytes so far without a copy. The result is valid until the next `append`. */
    bytes: (): Buffer => memory.subarray(0, length),
    /** Returns all bytes like `bytes`, and resets the length to 0 in the same memory. */
    take(): Buffer {
      const taken = memory.subarray(0, length);
      length = 0;
      return taken;
    },
    /** Frees the memory immediately, without garbage collection. No bytes of this buffer may be used after the call. */
    discard(): void {
      freeBuffer(memory);
      memory = Buffer.alloc(0);
      length = 0;
    },
  };
}
