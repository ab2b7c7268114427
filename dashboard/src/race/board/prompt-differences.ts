/** A separator between the words of a prompt. */
const WORD_END = /[\s,.;:!?]/;

/** The maximum length of a difference that is shown beside the whole prompt. */
const MAX_CHARACTERS = 40;

export interface Differences {
  /** The part of each prompt that the others do not have. Undefined if there is no short part. */
  readonly parts: readonly (string | undefined)[];
  /** The prompts as one text with the differences in braces, or the first prompt if the differences are long. */
  readonly title: string;
}

/** Finds what distinguishes the prompts, by the words with which all of them begin and end. */
export function promptDifferences(prompts: readonly string[]): Differences {
  const [first = '', ...others] = prompts;
  if (others.every((prompt) => prompt === first))
    return { parts: prompts.map(() => undefined), title: first };
  const start = wholeWords(first, commonStart(prompts));
  const end = commonEnd(prompts.map((prompt) => prompt.slice(start.length)));
  const parts = prompts.map((prompt) => prompt.slice(start.length, prompt.length - end.length));
  if (parts.some((part) => part.length === 0 || part.length > MAX_CHARACTERS)) {
    return { parts: prompts.map(() => undefined), title: first };
  }
  return { parts, title: `${start}{${parts.join(',')}}${end}` };
}

function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = 0;
  while (length < first.length && others.every((text) => text[length] === first[length])) {
    length += 1;
  }
  return first.slice(0, length);
}

/** Returns the common start without the beginning of a word that differs. */
function wholeWords(text: string, start: string): string {
  let { length } = start;
  while (length > 0 && !WORD_END.test(text[length - 1] ?? '')) length -= 1;
  return start.slice(0, length);
}

function commonEnd(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = 0;
  while (
    length < first.length &&
    others.every((text) => text.at(-1 - length) === first.at(-1 - length))
  ) {
    length += 1;
  }
  const end = first.slice(first.length - length);
  const word = end.search(WORD_END);
  return word === -1 ? '' : end.slice(word);
}
