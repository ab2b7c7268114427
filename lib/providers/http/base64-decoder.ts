import { createBlocks } from './decoded-blocks.ts';

/** Decodes base64 (RFC 4648, 4: padded, no white space, not the alphabet for URLs) that arrives in parts of any length. */
export interface Base64Decoder {
  push(part: Buffer): void;
  /** All bytes, joined by this call; undefined when the input was not base64. */
  end(): Buffer | undefined;
}

const MINUS = 0x2d;
const UNDERSCORE = 0x5f;

// Whole groups of four. V8 puts longer strings into its large-object space, which takes longer than to decode them.
const PIECE_CHARS = 32_768;

const NOTHING = Buffer.alloc(0);

/** Holds the decoded bytes only, never the whole text. Bytes that equal the beginning of `known` are not stored again. */
export function createBase64Decoder(known: Buffer = NOTHING): Base64Decoder {
  const decoded = createBlocks(known);
  // Fewer than four characters: the rest of their group has not arrived.
  let pending = '';
  let isPadded = false;
  let isValid = true;

  function decode(text: string): void {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    const bytes = (text.length / 4) * 3 - padding;
    // Node skips unknown characters, and then decodes fewer bytes than expected. Nothing may follow the padding.
    if (isPadded || decoded.write(text, bytes) !== bytes) isValid = false;
    isPadded = padding > 0;
  }

  return {
    push(part) {
      // Node also accepts these two, which are not in this alphabet.
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

    end() {
      return isValid && pending === '' ? decoded.toBuffer() : undefined;
    },
  };
}
