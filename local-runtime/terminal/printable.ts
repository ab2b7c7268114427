/** The same text or JSON without what a terminal obeys: JSON itself escapes only the older control characters. */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}|\p{Bidi_Control}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
