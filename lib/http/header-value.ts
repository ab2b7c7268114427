import { parsePair, splitHeader } from '../platform/header-text.ts';

/** A header value such as `form-data; name="a"`: its first word in lower case, and its parameters by lower-case names. */
export interface HeaderValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const WORD = /^[^\s;]+$/;

/** Undefined when it is not of that form to its last character, or names a parameter twice. */
export function parseHeaderValue(text: string): HeaderValue | undefined {
  const semicolon = text.indexOf(';');
  const [value = ''] = splitHeader(semicolon === -1 ? text : text.slice(0, semicolon), ';');
  if (!WORD.test(value)) return undefined;
  const pairs = semicolon === -1 ? [] : splitHeader(text.slice(semicolon + 1), ';');
  // A semicolon may end the value.
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
