import * as v from 'valibot';
import { documented } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/request-limits.ts';
import { text } from '../schema/text.ts';

export const MAX_LABELS = 16;
const MAX_CHARACTERS = 64;
const MAX_BYTES = 512;

const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** The rules of a label, in words. A title has the same rules. */
export const LABEL = `1 to ${MAX_CHARACTERS} characters of any script, at most ${MAX_BYTES} bytes of UTF-8, without control characters. Spaces at both ends are removed, and the text is stored in the Unicode form NFC.`;

/** A label of a job, in the form in which labels are stored and compared. */
export const Label = v.pipe(
  text({ maxBytes: MAX_BYTES }),
  v.check(
    (value) => value.isWellFormed() && !CONTROL_CHARACTERS.test(value),
    coded('invalid_text', 'must not contain control characters or lone surrogates'),
  ),
  v.transform((value) => value.trim().normalize('NFC')),
  v.check((value) => VISIBLE.test(value), coded('blank', 'must have a visible character')),
  v.check(
    (value) => countCharacters(value) <= MAX_CHARACTERS,
    coded('invalid_length', `must be at most ${MAX_CHARACTERS} characters long`),
  ),
  v.metadata({ minLength: 1 }),
);

/** The labels of a job. Equal labels are stored once, in the order in which they were sent. */
export const Labels = v.pipe(
  limitedList(Label, MAX_LABELS),
  v.transform((labels) => [...new Set(labels)]),
  v.metadata({ maxItems: MAX_LABELS }),
);

/** The labels of a job in a reply. */
export const StoredLabels = documented(
  v.optional(v.array(v.string())),
  'The labels of the job. Absent if the job has none.',
);

let segmenter: Intl.Segmenter | undefined;

/** Counts characters. A letter with its combining marks, or an emoji of several code points, counts as one character. */
function countCharacters(value: string): number {
  // Created for the first label, because V8 then loads the rules of Unicode, which would take 8 ms of each start.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(value)].length;
}
