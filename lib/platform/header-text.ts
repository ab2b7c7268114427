/**
 * Splits a header value at each `separator` outside quoted strings, and trims the parts (RFC 9110, section 5.6). Reads the text
 * only once. `escapes` is false if a backslash is an ordinary character, as in an etag.
 */
export function splitHeader(text: string, separator: ',' | ';', escapes = true): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && escapes && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(trimSpace(text.slice(start, at)));
      start = at + 1;
    }
  }
  parts.push(trimSpace(text.slice(start)));
  return parts;
}

/** A parsed part such as `name=value` or `name="value"`. The parts `name` and `name=` have no value. */
export interface HeaderPair {
  readonly name: string;
  readonly value: string | undefined;
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const PLAIN_VALUE = /^[^\s;"]+$/;

/** Parses a part into name and value, without the quotes of the value. Returns undefined if the part has any other form. */
export function parsePair(part: string): HeaderPair | undefined {
  const equals = part.indexOf('=');
  const name = trimSpace(equals === -1 ? part : part.slice(0, equals));
  if (!TOKEN.test(name)) return undefined;
  const text = equals === -1 ? '' : trimSpace(part.slice(equals + 1));
  if (text === '') return { name, value: undefined };
  if (!text.startsWith('"')) return PLAIN_VALUE.test(text) ? { name, value: text } : undefined;
  const value = unquoted(text);
  return value === undefined ? undefined : { name, value };
}

/** Returns the text between the quotes, or undefined if the text does not end with the closing quote. */
function unquoted(text: string): string | undefined {
  let value = '';
  let copied = 1;
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '"')
      return at === text.length - 1 ? value + text.slice(copied, at) : undefined;
    if (text[at] !== '\\') continue;
    const next = text[at + 1];
    // A backslash before any other character is kept, because some clients send paths.
    if (next === '"' || next === '\\') {
      value += text.slice(copied, at);
      copied = at + 1;
    }
    at += 1;
  }
  return undefined;
}

/** Removes leading and trailing spaces and tabs. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
