/** A header value such as `form-data; name="a"`: its first word in lower case, and its parameters by lower-case names. */
export interface HeaderValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const VALUE = /^[ \t]*([^\s;]+)[ \t]*/;
const PARAMETER =
  /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*/y;

/** Undefined when it is not of that form to its last character, or names a parameter twice. */
export function parseHeaderValue(text: string): HeaderValue | undefined {
  const [whole = '', value = ''] = VALUE.exec(text) ?? [];
  const parameters = new Map<string, string>();
  let end = whole.length;
  PARAMETER.lastIndex = end;
  for (let found = PARAMETER.exec(text); found; found = PARAMETER.exec(text)) {
    const [parameter, name = '', quoted, plain = ''] = found;
    if (parameters.has(name.toLowerCase())) return undefined;
    // A backslash before anything else is one: some clients send paths.
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain);
    end += parameter.length;
  }
  const isWhole = value !== '' && /^;?[ \t]*$/.test(text.slice(end));
  return isWhole ? { value: value.toLowerCase(), parameters } : undefined;
}
