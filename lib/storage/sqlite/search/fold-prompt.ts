// The members of CaseFolding.txt, status C and S, that are not the small letter of the capital letter. The two of Turkish
// fold in that language alone; the others have no capital letter of one code point.
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['\u0130', '\u0130'],
  ['\u0131', '\u0131'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]);
const ASCII = /^[\0-\x7f]*$/;
// The property is asked of the normal form, which hides three letters.
const FOLDED = /[\p{Changes_When_Casefolded}\p{Script=Cherokee}\u1fbe\u1fd3\u1fe3]/gu;
const CHEROKEE = /\p{Script=Cherokee}/u;

const known = new Map<string, string>(EXCEPTIONS);

/**
 * Text as searches compare it: each code point by the simple case folding of Unicode (CaseFolding.txt, status C and S),
 * without normalization.
 */
export function foldPrompt(text: string): string {
  // The path of most prompts, about a hundred times faster.
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
  // The one script whose small letters were added to Unicode later: they fold to the capital ones.
  return CHEROKEE.test(letter) ? capital : oneOr(capital, capital.toLowerCase());
}

/** What a letter becomes, where that is one code point; else the letter. */
function oneOr(letter: string, changed: string): string {
  return [...changed].length === 1 ? changed : letter;
}
