const FIRST_BYTES = 4096;

/** Bytes that come in parts of any length, in one buffer that doubles: a million parts of one byte cost no more. */
export interface GrowingBytes {
  readonly length: number;
  push(part: Uint8Array): void;
  /** What has come since the last call; it stays valid until the next `push`. */
  take(): Buffer;
}

export function createGrowingBytes(): GrowingBytes {
  let space = Buffer.allocUnsafe(FIRST_BYTES);
  let used = 0;
  return {
    get length() {
      return used;
    },
    push(part) {
      if (used + part.length > space.length) {
        const larger = Buffer.allocUnsafe(Math.max(space.length * 2, used + part.length));
        space.copy(larger, 0, 0, used);
        space = larger;
      }
      space.set(part, used);
      used += part.length;
    },
    take() {
      const taken = space.subarray(0, used);
      used = 0;
      return taken;
    },
  };
}
