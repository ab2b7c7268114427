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

/** A part of two prompts that are compared. */
export interface ComparedPart {
  readonly text: string;
  readonly kind: 'kept' | 'added' | 'removed';
}

/**
 * Compares two prompts. Returns the second prompt with the words that were removed from the first. Changed words that only spaces or
 * punctuation separate are one phrase, because single words that alternate are hard to read.
 */
export function comparePrompts(a: string, b: string): readonly ComparedPart[] {
  const changes = diffWordsWithSpace(a, b, DIFF_OPTIONS);
  if (changes === undefined) return [{ text: b, kind: 'kept' }];
  const parts: ComparedPart[] = [];
  let removed = '';
  let added = '';
  function endPhrase(): void {
    if (removed !== '') parts.push({ text: removed, kind: 'removed' });
    if (added !== '') parts.push({ text: added, kind: 'added' });
    removed = added = '';
  }
  for (const [index, { value, ...change }] of changes.entries()) {
    const isLast = index === changes.length - 1;
    const isBetween = removed + added !== '' && !isLast && !/[\p{L}\p{N}]/u.test(value);
    if (!change.added && !change.removed && !isBetween) {
      endPhrase();
      parts.push({ text: value, kind: 'kept' });
      continue;
    }
    if (!change.added) removed += value;
    if (!change.removed) added += value;
  }
  endPhrase();
  return parts;
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
