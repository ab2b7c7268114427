const MINUS = 0x2d;
const UNDERSCORE = 0x5f;

// A multiple of four characters. V8 allocates longer strings in its large-object space, which takes longer than
// decoding them.
const PIECE_CHARS = 32_768;

const NOTHING = Buffer.alloc(0);

export type Base64Decoder = ReturnType<typeof createBase64Decoder>;

/**
 * Creates a decoder of base64 that arrives in parts of any length: the standard alphabet with padding and without white
 * space (RFC 4648, section 4). Stores the decoded bytes and never the whole text. Bytes that equal the beginning of
 * `known` are not stored again.
 */
export function createBase64Decoder(known: Buffer = NOTHING) {
  const decoded = createBlocks(known);
  // Up to three characters of an incomplete group of four.
  let pending = '';
  let isPadded = false;
  let isValid = true;

  function decode(text: string): void {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    const bytes = (text.length / 4) * 3 - padding;
    // Node skips unknown characters and then decodes fewer bytes than expected. Nothing may follow the padding.
    if (isPadded || decoded.write(text, bytes) !== bytes) isValid = false;
    isPadded = padding > 0;
  }

  return {
    push(part: Buffer): void {
      // Node also decodes these two characters of the URL alphabet, which are invalid here.
      if (part.includes(MINUS) || part.includes(UNDERSCORE)) isValid = false;
      if (!isValid) return;
      let at = 0;
      if (pending !== '') {
        at = Math.min(4 - pending.length, part.length);
        pending += part.toString('latin1', 0, at);
        if (pending.length < 4) return;
        decode(pending);
      }
      const whole = part.length - ((part.length - at) % 4);
      for (; at < whole; at += PIECE_CHARS) {
        decode(part.toString('latin1', at, Math.min(whole, at + PIECE_CHARS)));
      }
      pending = part.toString('latin1', whole);
    },

    /** Returns all bytes as one buffer, or undefined if the input was not base64. */
    end(): Buffer | undefined {
      return isValid && pending === '' ? decoded.toBuffer() : undefined;
    },
  };
}

// The first block has room for most images, so that they need no copy. The system provides the memory of a block page by page
// when it is written, so the unused part takes no memory.
const FIRST_BLOCK_BYTES = 4 * 1024 * 1024;
const NEXT_BLOCK_BYTES = 245_760;

/**
 * Decodes base64 into blocks. Stores no bytes while the input equals the beginning of `known`, so that an image that is
 * sent twice is stored once.
 */
function createBlocks(known: Buffer) {
  const full: Buffer[] = [];
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  let total = 0;
  let isKnown = known.length > 0;

  function nextBlock(): void {
    if (used > 0) full.push(block.subarray(0, used));
    block = Buffer.allocUnsafeSlow(block.length === 0 ? FIRST_BLOCK_BYTES : NEXT_BLOCK_BYTES);
    used = 0;
  }

  return {
    /** Decodes whole groups of base64 that encode `bytes` bytes. Returns the number of decoded bytes. */
    write(text: string, bytes: number): number {
      if (block.length - used < bytes) nextBlock();
      const written = block.write(text, used, bytes, 'base64');
      const fresh = block.subarray(used, used + written);
      if (isKnown && !known.subarray(total, total + written).equals(fresh)) {
        isKnown = false;
        full.push(known.subarray(0, total));
      }
      // While the input equals `known`, each write overwrites the previous one.
      if (!isKnown) used += written;
      total += written;
      return written;
    },

    toBuffer(): Buffer {
      if (isKnown && total === known.length) return known;
      const rest = isKnown ? known.subarray(0, total) : block.subarray(0, used);
      // A smaller image is copied, because V8 counts the whole block as memory as long as the image is in use.
      const fillsBlock = !isKnown && used >= block.length / 2;
      return full.length === 0 && fillsBlock ? rest : Buffer.concat([...full, rest]);
    },
  };
}
