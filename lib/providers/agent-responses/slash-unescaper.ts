const BACKSLASH = '\\';

/** Takes the next part of a JSON string that holds base64, and gives its text. */
export type SlashUnescaper = (part: Buffer) => string;

/**
 * Undoes the one escape that base64 can need: some writers escape the slash, which is one of its digits. Whatever else is
 * escaped keeps its backslash, and so is no base64.
 */
export function createSlashUnescaper(): SlashUnescaper {
  // A backslash at the end of the last part, before what it escapes.
  let open = '';
  return (part) => {
    const text = open + part.toString('latin1');
    if (!text.includes(BACKSLASH)) return text;
    open = text.endsWith(BACKSLASH) ? BACKSLASH : '';
    return text.slice(0, text.length - open.length).replaceAll('\\/', '/');
  };
}
