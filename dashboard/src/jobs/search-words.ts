/** The limits of the parameter `q` of GET /v1/jobs. */
const MAX_CHARACTERS = 256;
const MAX_WORDS = 16;

/** A word, or a phrase in quotation marks. A minus sign before either excludes prompts that contain it. */
const TERM = /(-?)(?:["“”]([^"“”]*)["“”]?|(\S+))/gu;

interface Word {
  readonly text: string;
  readonly isExcluded: boolean;
  /** The word as it was typed. */
  readonly typed: string;
}

/** Returns the words of a search, without those beyond the limits of the bridge. */
function toWords(search: string): readonly Word[] {
  const shortened = [...search].slice(0, MAX_CHARACTERS).join('');
  const words = [...shortened.matchAll(TERM)].map(([typed, sign, phrase, word]) => ({
    text: (phrase ?? (word === '-' ? '' : (word ?? ''))).toLowerCase(),
    isExcluded: sign === '-',
    typed,
  }));
  return words.filter(({ text }) => text !== '').slice(0, MAX_WORDS);
}

/** Returns the value of the parameter `q` for a search. A search without a word is sent unchanged and finds all jobs. */
export function toWordQuery(search: string): string {
  const words = toWords(search);
  return words.length === 0 ? search.trim().slice(0, 1) : words.map(({ typed }) => typed).join(' ');
}

/** Returns true if a prompt contains every word of a search, in any order, and no excluded word. */
export function matchesWords(prompt: string, search: string): boolean {
  const lower = prompt.toLowerCase();
  return toWords(search).every(({ text, isExcluded }) => lower.includes(text) !== isExcluded);
}

/** Returns the words and phrases of a search as they were typed. */
export function typedWords(search: string): readonly string[] {
  return toWords(search).map(({ typed }) => typed);
}
