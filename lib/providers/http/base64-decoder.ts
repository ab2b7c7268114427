import { createBlocks } from './decoded-blocks.ts';

/** Decodes base64 (RFC 4648, 4: padded, no white space, not the alphabet for URLs) that comes in parts of any length. */
export interface Base64Decoder {
  push(part: Buffer): void;
  /** All bytes, put together for this call; undefined when what came was no base64. */
  end(): Buffer | undefined;
}

const MINUS = 0x2d;
const UNDERSCORE = 0x5f;

// Whole groups of four. The engine keeps longer strings apart from all others, which takes longer than decoding them.
const PIECE_CHARS = 32_768;

const NOTHING = Buffer.alloc(0);

/**
 * A decoder that keeps the decoded bytes only: the text is never held as a whole. What begins as `known` does is not kept
 * a second time.
 */
export function createBase64Decoder(known: Buffer = NOTHING): Base64Decoder {
  const kept = createBlocks(known);
  // Fewer than four characters that wait for the rest of their group.
  let open = '';
  let isPadded = false;
  let isSound = true;

  function decode(text: string): void {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    const bytes = (text.length / 4) * 3 - padding;
    // Node skips what it does not know: then fewer bytes come out than the characters stand for. Nothing follows padding.
    if (isPadded || kept.write(text, bytes) !== bytes) isSound = false;
    isPadded = padding > 0;
  }

  return {
    push(part) {
      // The two that Node knows although they are not of this alphabet.
      if (part.includes(MINUS) || part.includes(UNDERSCORE)) isSound = false;
      if (!isSound) return;
      let at = 0;
      if (open !== '') {
        at = Math.min(4 - open.length, part.length);
        open += part.toString('latin1', 0, at);
        if (open.length < 4) return;
        decode(open);
      }
      const whole = part.length - ((part.length - at) % 4);
      for (; at < whole; at += PIECE_CHARS) {
        decode(part.toString('latin1', at, Math.min(whole, at + PIECE_CHARS)));
      }
      open = part.toString('latin1', whole);
    },

    end() {
      return isSound && open === '' ? kept.toBuffer() : undefined;
    },
  };
}
