import * as v from 'valibot';
import { storableText } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';

/** Literal parts of a prompt, compared without regard to case. */
export interface SearchTerms {
  /** The prompt contains each of these texts. */
  readonly all: readonly string[];
  /** The prompt contains none of these texts. */
  readonly none: readonly string[];
}

const MAX_TERMS = 16;

// An optional sign, then a phrase up to the next quotation mark or the end, or a word up to the next space. Curly quotation marks
// are accepted because phones write them.
const TERM = /(-?)(?:["“”]([^"“”]*)["“”]?|(\S+))/gu;

/**
 * Parses words in any order, phrases in quotation marks, and excluded words and phrases, which are prefixed with `-`. A single
 * `-` and an empty phrase are ignored, because both occur while a person types.
 */
export function parseSearchTerms(query: string): SearchTerms {
  const [all, none] = [new Set<string>(), new Set<string>()];
  for (const [, sign, phrase, word] of query.matchAll(TERM)) {
    const term = phrase ?? (word === '-' ? '' : (word ?? ''));
    if (term !== '') (sign === '-' ? none : all).add(term);
  }
  return { all: [...all], none: [...none] };
}

export const SearchText = v.pipe(storableText(256), v.minLength(1));

export const SearchQuery = v.pipe(
  SearchText,
  v.transform(parseSearchTerms),
  v.check(
    ({ all, none }) => all.length + none.length <= MAX_TERMS,
    coded('too_many', `must have at most ${MAX_TERMS} words and phrases`),
  ),
);

/** The description of a field of type `SearchQuery`. */
export const SEARCH_QUERY = `Words that the prompt contains in any order, without regard to case. \`"a b"\` is an exact phrase; \`-a\` and \`-"a b"\` exclude. A word also matches inside a longer word. At most ${MAX_TERMS} words and phrases.`;
