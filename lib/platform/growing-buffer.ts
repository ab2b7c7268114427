interface Options {
  /** The expected length in bytes: with the exact one nothing is copied twice. */
  readonly initialBytes: number;
  /** The buffer doubles up to here. Only an `append` beyond it makes the buffer longer. */
  readonly maxBytes?: number;
}

/** Joins bytes that come in chunks of any length: a million chunks of one byte are copied about twice in all. */
export interface GrowingBuffer {
  append(chunk: Uint8Array): void;
  length(): number;
  /** All bytes so far, without a copy; valid until the next `append`. */
  bytes(): Buffer;
  /** The same, and starts again at length 0 in the same memory. */
  take(): Buffer;
  /** Frees the memory at once, without waiting for a collection. No bytes of this buffer may be used afterwards. */
  discard(): void;
}

export function createGrowingBuffer({
  initialBytes,
  maxBytes = Number.POSITIVE_INFINITY,
}: Options): GrowingBuffer {
  let memory = Buffer.allocUnsafe(initialBytes);
  let length = 0;

  return {
    append(chunk) {
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
    bytes: () => memory.subarray(0, length),
    take() {
      const taken = memory.subarray(0, length);
      length = 0;
      return taken;
    },
    discard() {
      const { buffer, byteLength } = memory;
      memory = Buffer.alloc(0);
      length = 0;
      // A short buffer is a part of memory that Node shares among many.
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
    },
  };
}
