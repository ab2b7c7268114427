import { diffWordsWithSpace } from 'diff';

export interface PromptPart {
  readonly text: string;
  readonly isAdded: boolean;
}

/** Comparing long texts that have little in common takes long: they are shown without marks then. */
const DIFF_OPTIONS = { timeout: 100 };

/** The prompt as a model has revised it, in parts: what it kept, and what it added. */
export function toPromptParts(prompt: string, revised: string): readonly PromptPart[] {
  const changes = diffWordsWithSpace(prompt, revised, DIFF_OPTIONS);
  if (changes === undefined) return [{ text: revised, isAdded: false }];
  return changes
    .filter(({ removed }) => !removed)
    .flatMap(({ value, added }) => (added ? markWords(value) : [{ text: value, isAdded: false }]));
}

/** The spaces around what was added are no part of it. */
function markWords(added: string): readonly PromptPart[] {
  const words = added.trim();
  const start = added.indexOf(words);
  return [
    { text: added.slice(0, start), isAdded: false },
    { text: words, isAdded: true },
    { text: added.slice(start + words.length), isAdded: false },
  ].filter((part) => part.text !== '');
}
