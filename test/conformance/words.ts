/** One word in a text, an identifier or a file name. */
export interface Word {
  readonly line: number;
  readonly word: string;
}

/** Every word of a text in lower case, identifiers split into their parts: `isPatient`, `waiting_line`, `last-call`. */
export function wordsOf(text: string): readonly Word[] {
  return text.split('\n').flatMap((line, index) =>
    line
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
      .split(/[^A-Za-z]+/)
      .filter((word) => word !== '')
      .map((word) => ({ line: index + 1, word: word.toLowerCase() })),
  );
}

/** The occurrences of these words or word sequences, as `line: phrase`. */
export function findPhrases(text: string, phrases: readonly string[]): readonly string[] {
  const words = wordsOf(text);
  const rows = phrases.map((phrase) => phrase.split(' '));
  return words.flatMap(({ line }, index) =>
    rows
      .filter((row) => row.every((word, offset) => words[index + offset]?.word === word))
      .map((row) => `${line}: ${row.join(' ')}`),
  );
}
