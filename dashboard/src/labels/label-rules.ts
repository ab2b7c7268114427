/** The maximum number of labels of a job, characters of a label, and bytes of UTF-8 of a label, in the API contract. */
export const MAX_LABELS = 16;
const MAX_CHARACTERS = 64;
const MAX_BYTES = 512;

/** The maximum length of a text in a field for a label. Longer than every label, so that a text that is too long is reported, not cut. */
export const MAX_TYPED = 2048;

const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** The reason why the bridge would reject a label, with the number in its text. */
export interface LabelProblem {
  readonly key: 'blank' | 'control' | 'long' | 'large' | 'taken';
  readonly values: { readonly count: number; readonly limit: number };
}

/** Returns a label in the form in which the bridge stores and compares labels. */
export function toLabel(typed: string): string {
  return typed.trim().normalize('NFC');
}

/** Returns the reason why a label cannot be given to a job that has the labels `taken`, or undefined if it can. */
export function labelProblem(label: string, taken: readonly string[]): LabelProblem | undefined {
  const problem = (key: LabelProblem['key'], count = 0, limit = 0): LabelProblem => ({
    key,
    values: { count, limit },
  });
  if (!label.isWellFormed() || CONTROL_CHARACTERS.test(label)) return problem('control');
  if (!VISIBLE.test(label)) return problem('blank');
  const surplus = countCharacters(label) - MAX_CHARACTERS;
  if (surplus > 0) return problem('long', surplus, MAX_CHARACTERS);
  const bytes = new TextEncoder().encode(label).length;
  if (bytes > MAX_BYTES) return problem('large', bytes, MAX_BYTES);
  return taken.includes(label) ? problem('taken') : undefined;
}

/** Counts characters. A letter with its combining marks, or an emoji of several code points, counts as one character. */
function countCharacters(value: string): number {
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(value)].length;
}
