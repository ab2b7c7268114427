import type { SearchTerms } from '../../contract/resources/search-terms.ts';

// The entries of CaseFolding.txt, status C and S, with a result that is not the small letter of the capital letter. The two Turkish
// letters fold only in Turkish; the others have no capital letter of one code point.
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['\u0130', '\u0130'],
  ['\u0131', '\u0131'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]);
const ASCII = /^[\0-\x7f]*$/;
// Three letters are listed, because `Changes_When_Casefolded` is defined on the normalized form and does not include these
// letters.
const FOLDED = /[\p{Changes_When_Casefolded}\p{Script=Cherokee}\u1fbe\u1fd3\u1fe3]/gu;
const CHEROKEE = /\p{Script=Cherokee}/u;

const known = new Map<string, string>(EXCEPTIONS);

/**
 * Folds text for comparison in searches: each code point by the simple case folding of Unicode (CaseFolding.txt, status C and
 * S), without normalization.
 */
export function foldPrompt(text: string): string {
  // Most prompts are ASCII, for which `toLowerCase` is about a hundred times faster.
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replace(FOLDED, (letter) => {
    let folded = known.get(letter);
    if (folded === undefined) {
      folded = foldLetter(letter);
      known.set(letter, folded);
    }
    return folded;
  });
}

function foldLetter(letter: string): string {
  const capital = oneOr(letter, letter.toUpperCase());
  // In this script alone, small letters fold to capital letters, because Unicode added the small letters later.
  return CHEROKEE.test(letter) ? capital : oneOr(capital, capital.toLowerCase());
}

/** Returns the changed letter if it is one code point, and the letter itself otherwise. */
function oneOr(letter: string, changed: string): string {
  return [...changed].length === 1 ? changed : letter;
}

/** Returns the folded texts of the terms. */
export function foldTerms({ all, none }: SearchTerms): SearchTerms {
  return { all: all.map(foldPrompt), none: none.map(foldPrompt) };
}

/** Returns true if a folded prompt contains every text in `all` and no text in `none`. The terms are folded too. */
export function matchesTerms({ all, none }: SearchTerms, folded: string): boolean {
  return all.every((term) => folded.includes(term)) && !none.some((term) => folded.includes(term));
}
