import { parsePair, splitHeader } from '../platform/header-text.ts';

/** A header value such as `form-data; name="a"`: the first word in lowercase, and the parameters by lowercase names. */
export interface HeaderValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const WORD = /^[^\s;]+$/;

/** Parses a header value. Returns undefined if the text does not match the form completely or repeats a parameter. */
export function parseHeaderValue(text: string): HeaderValue | undefined {
  const semicolon = text.indexOf(';');
  const [value = ''] = splitHeader(semicolon === -1 ? text : text.slice(0, semicolon), ';');
  if (!WORD.test(value)) return undefined;
  const pairs = semicolon === -1 ? [] : splitHeader(text.slice(semicolon + 1), ';');
  // A trailing semicolon is allowed.
  if (pairs.at(-1) === '') pairs.pop();
  const parameters = new Map<string, string>();
  for (const part of pairs) {
    const pair = parsePair(part);
    const name = pair?.name.toLowerCase() ?? '';
    if (pair?.value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, pair.value);
  }
  return { value: value.toLowerCase(), parameters };
}
