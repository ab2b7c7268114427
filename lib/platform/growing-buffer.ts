// What one chunk of a socket holds at most.
const FIRST_BYTES = 65_536;

/**
 * Puts together bytes that come in chunks. With their number known they are copied once, as they come; without it the
 * buffer doubles, up to `maxBytes`. Never holds more than it is given room for.
 */
export function createGrowingBuffer(declaredBytes: number, maxBytes: number) {
  let room = Buffer.allocUnsafe(declaredBytes || Math.min(FIRST_BYTES, maxBytes));
  let length = 0;

  return {
    append(chunk: Buffer): void {
      const needed = length + chunk.length;
      if (needed > room.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(room.length * 2, maxBytes)));
        room.copy(larger, 0, 0, length);
        room = larger;
      }
      chunk.copy(room, length);
      length = needed;
    },
    length: () => length,
    /** All that has come, without a copy. */
    bytes: () => room.subarray(0, length),
  };
}
