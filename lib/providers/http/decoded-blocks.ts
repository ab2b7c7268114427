// Blocks grow up to it, so that a short text takes a small one.
const MAX_BLOCK_BYTES = 245_760;

/**
 * Decodes base64 into blocks. As long as what comes is what `known` begins with, nothing of it is kept: an image that is
 * told twice takes its place once.
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
    /** Takes whole groups of base64 that stand for so many bytes. Returns how many came out. */
    write(text: string, bytes: number): number {
      if (block.length - used < bytes) nextBlock(bytes);
      const written = block.write(text, used, bytes, 'base64');
      const fresh = block.subarray(used, used + written);
      if (isKnown && !known.subarray(total, total + written).equals(fresh)) {
        isKnown = false;
        full.push(known.subarray(0, total));
      }
      // What is known is overwritten by what comes next.
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
