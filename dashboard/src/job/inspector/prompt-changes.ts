import { diffWordsWithSpace } from 'diff';

export interface PromptPart {
  readonly text: string;
  readonly isAdded: boolean;
}

/** Comparing long texts can be slow. At this limit in milliseconds, the text is shown without marks. */
const DIFF_OPTIONS = { timeout: 100 };

/** Splits the revised prompt into parts that the model kept and parts that it added. */
export function toPromptParts(prompt: string, revised: string): readonly PromptPart[] {
  const changes = diffWordsWithSpace(prompt, revised, DIFF_OPTIONS);
  if (changes === undefined) return [{ text: revised, isAdded: false }];
  return changes
    .filter(({ removed }) => !removed)
    .flatMap(({ value, added }) => (added ? markWords(value) : [{ text: value, isAdded: false }]));
}

/** Returns the parts for added words. The spaces around the words are not marked. */
function markWords(added: string): readonly PromptPart[] {
  const words = added.trim();
  const start = added.indexOf(words);
  return [
    { text: added.slice(0, start), isAdded: false },
    { text: words, isAdded: true },
    { text: added.slice(start + words.length), isAdded: false },
  ].filter((part) => part.text !== '');
}
