import { types } from 'pg';
import { fromStoredText, toStoredText } from '../stored-text.ts';

const { INT8, NUMERIC, TEXT, VARCHAR } = types.builtins;
// Array types have no names in the package, and its types know only names (https://www.postgresql.org/docs/current/catalog-pg-type.html).
const INT8_ARRAY = 1016;
const TEXT_ARRAY = 1009 as typeof TEXT;

/** Parses a column in the text format of the server. */
type Parser = (text: string) => unknown;

const parseTexts: (text: string) => readonly (string | null)[] = types.getTypeParser(TEXT_ARRAY);

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, Number],
  [NUMERIC, Number],
  [TEXT, fromStoredText],
  [VARCHAR, fromStoredText],
  [INT8_ARRAY, (text) => parseTexts(text).map((element) => element && Number(element))],
  [TEXT_ARRAY, (text) => parseTexts(text).map((element) => element && fromStoredText(element))],
]);

/** Returns the parser of a column type. */
export const toParser: typeof types.getTypeParser = (id, format) =>
  (format !== 'binary' && PARSERS.get(id)) || types.getTypeParser(id, format);

/** Converts a parameter of a statement: escapes NUL in texts, also in the elements of an array. */
export function toParameter(value: unknown): unknown {
  if (typeof value === 'string') return toStoredText(value);
  return Array.isArray(value) ? value.map(toParameter) : value;
}
