// PostgreSQL cannot store NUL in a `text`. The noncharacter U+FDD0 is valid UTF-8 and occurs in no ordinary text.
const ESCAPE = '\uFDD0';

/**
 * Replaces each NUL in a text by an escape sequence. Returns a text without NUL and without U+FDD0 unchanged, so that stored texts
 * are compared, sorted and searched as they are.
 */
export function toStoredText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`);
}

/** Returns the text that `toStoredText` converted. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE);
}
