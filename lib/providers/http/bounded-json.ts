import { parseJson } from '../../platform/parse-json.ts';

/**
 * Limits on the structure of a JSON text. The duration of `JSON.parse` depends on both numbers, and hardly on the
 * length of strings.
 */
export interface JsonBounds {
  /** Maximum number of member names. Each new name costs microseconds. */
  readonly maxNames: number;
  /** Maximum number of objects and arrays. */
  readonly maxNested: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Returns the value of a JSON text, or undefined if the text is not JSON or exceeds the bounds. */
export function parseBounded(text: Buffer, bounds: JsonBounds): unknown {
  return isWithin(text, bounds) ? parseJson(text.toString('utf8')) : undefined;
}

/** Returns true if a text is within the bounds. Reads the text once and skips strings with native code. */
export function isWithin(text: Buffer, { maxNames, maxNested }: JsonBounds): boolean {
  // A text this short is always parsed quickly.
  if (text.length < 4 * Math.min(maxNames, maxNested)) return true;
  let names = 0;
  let nested = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfString(text, at);
    else if (byte === COLON) names += 1;
    else if (byte === 0x7b || byte === 0x5b) nested += 1;
    if (names > maxNames || nested > maxNested) return false;
  }
  return true;
}

/**
 * Returns the members of a JSON object by name, each as unparsed text. Returns undefined if the text is not an object
 * or has more than `maxMembers` members. Invalid JSON may be accepted here: parsing the text of its members then fails.
 */
export function jsonMembers(
  text: Buffer,
  maxMembers: number,
): ReadonlyMap<string, Buffer> | undefined {
  const members = new Map<string, Buffer>();
  let depth = 0;
  let name = '';
  let lastString = [0, 0] as [number, number];
  let valueAt = 0;
  const endMember = (at: number) => {
    if (valueAt > 0) members.set(name, text.subarray(valueAt, at));
    valueAt = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1 && valueAt === 0) lastString = [at + 1, end];
      at = end;
    } else if (byte === 0x7b || byte === 0x5b) {
      // An array has no member names.
      if (depth === 0 && byte === 0x5b) return undefined;
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 1) endMember(at);
      depth -= 1;
      if (depth === 0) return members;
    } else if (depth === 1 && byte === COLON && valueAt === 0) {
      if (members.size === maxMembers) return undefined;
      name = text.toString('utf8', ...lastString);
      valueAt = at + 1;
    } else if (depth === 1 && byte === COMMA) endMember(at);
  }
  return undefined;
}

/** Returns the index of the closing quote, or the length of the text if the string is not closed. */
function endOfString(text: Buffer, open: number): number {
  const close = closingQuote(text, open + 1, false);
  return close === -1 ? text.length : close;
}

/**
 * Returns the index of the quote that closes a string, or -1 if the text does not contain the quote. The string continues
 * at `from`, where the first byte is escaped if `isFirstEscaped` is true.
 */
export function closingQuote(text: Buffer, from: number, isFirstEscaped: boolean): number {
  let quote = text.indexOf(QUOTE, from);
  while (quote !== -1 && isEscapedAt(text, from, quote, isFirstEscaped)) {
    quote = text.indexOf(QUOTE, quote + 1);
  }
  return quote;
}

/** Returns true if the byte at the index `at` of a string is escaped. The other arguments are as for `closingQuote`. */
export function isEscapedAt(
  text: Buffer,
  from: number,
  at: number,
  isFirstEscaped: boolean,
): boolean {
  let slashes = 0;
  while (at - 1 - slashes >= from && text[at - 1 - slashes] === BACKSLASH) slashes += 1;
  const reachesStart = at - slashes === from;
  return (slashes + Number(reachesStart && isFirstEscaped)) % 2 === 1;
}
