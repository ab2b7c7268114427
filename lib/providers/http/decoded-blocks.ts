// Blocks grow up to this size: a short text takes a small one.
const MAX_BLOCK_BYTES = 245_760;

/**
 * Decodes base64 into blocks. As long as the bytes equal the beginning of `known`, none are stored: an image that is
 * sent twice is held once.
 */
export function createBlocks(known: Buffer) {
  const full: Buffer[] = [];
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  let total = 0;
  let isKnown = known.length > 0;

  function nextBlock(leastBytes: number): void {
    if (used > 0) full.push(block.subarray(0, used));
    block = Buffer.allocUnsafeSlow(Math.max(leastBytes, Math.min(total, MAX_BLOCK_BYTES)));
    used = 0;
  }

  return {
    /** Takes whole groups of base64 that encode `bytes` bytes. Returns how many were decoded. */
    write(text: string, bytes: number): number {
      if (block.length - used < bytes) nextBlock(bytes);
      const written = block.write(text, used, bytes, 'base64');
      const fresh = block.subarray(used, used + written);
      if (isKnown && !known.subarray(total, total + written).equals(fresh)) {
        isKnown = false;
        full.push(known.subarray(0, total));
      }
      // Known bytes are overwritten by the next ones.
      if (!isKnown) used += written;
      total += written;
      return written;
    },

    toBuffer(): Buffer {
      if (isKnown && total === known.length) return known;
      const rest = isKnown ? known.subarray(0, total) : block.subarray(0, used);
      return Buffer.concat([...full, rest]);
    },
  };
}
