/** Decodes base64 (RFC 4648, 4: padded, no white space, not the alphabet for URLs) that comes in pieces of any length. */
export interface Base64Decoder {
  push(text: string): void;
  /** All bytes; undefined when what came was no base64. */
  end(): Buffer | undefined;
}

/** A decoder that keeps the decoded bytes only: the text is never held as a whole. */
export function createBase64Decoder(): Base64Decoder {
  const decoded: Buffer[] = [];
  // Fewer than four characters that wait for the rest of their group.
  let open = '';
  let isPadded = false;
  let isSound = true;

  function decode(text: string): void {
    if (!isSound || text === '') return;
    const bytes = Buffer.from(text, 'base64');
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    // Node skips what it does not know: then fewer bytes come out than the characters stand for. Nothing follows padding.
    if (isPadded || bytes.length !== (text.length / 4) * 3 - padding) isSound = false;
    // The two that Node knows although they are not of this alphabet.
    if (text.includes('-') || text.includes('_')) isSound = false;
    isPadded = padding > 0;
    decoded.push(bytes);
  }

  return {
    push(text) {
      const joined = open + text;
      const whole = joined.length - (joined.length % 4);
      open = joined.slice(whole);
      decode(joined.slice(0, whole));
    },
    end() {
      return isSound && open === '' ? Buffer.concat(decoded) : undefined;
    },
  };
}
