const BACKSLASH = '\\';
const BACKSLASH_BYTE = 0x5c;

/** Takes the next part of a JSON string that holds base64, and gives the part without its escapes. */
export type SlashUnescaper = (part: Buffer) => Buffer;

/**
 * Undoes the one escape that base64 can need: some writers escape the slash, which is one of its digits. Whatever else is
 * escaped keeps its backslash, and so is no base64.
 */
export function createSlashUnescaper(): SlashUnescaper {
  // A backslash at the end of the last part, before what it escapes.
  let open = '';
  return (part) => {
    if (open === '' && !part.includes(BACKSLASH_BYTE)) return part;
    const text = open + part.toString('latin1');
    open = text.endsWith(BACKSLASH) ? BACKSLASH : '';
    const unescaped = text.slice(0, text.length - open.length).replaceAll('\\/', '/');
    return Buffer.from(unescaped, 'latin1');
  };
}
