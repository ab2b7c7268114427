/** The maximum number of prompts in a race. */
export const MAX_PROMPTS = 24;

/** The prompts into which a text expands. */
export interface Expansion {
  /** The first prompts, at most one more than `MAX_PROMPTS`. */
  readonly prompts: readonly string[];
  /** The number of all prompts, including prompts that are not in `prompts`. */
  readonly count: number;
  /** The alternatives in the text, in their order. */
  readonly values: readonly string[];
}

/** The maximum number of combinations that are made, because equal ones do not count. */
const MAX_COMBINATIONS = 200;

/** A fixed text has one element, and a choice has several. */
type Part = readonly string[];

/**
 * Returns one prompt for each combination of the alternatives in braces, such as {red,blue}. In a list, each line is a text of its
 * own. A backslash before a brace, a comma in braces or a backslash makes the sign a part of the prompt. Braces without a comma are
 * a part of the prompt too.
 */
export function expandPrompt(template: string, isList: boolean): Expansion {
  const texts = isList ? template.split('\n') : [template];
  const lines = texts.filter((line) => line.trim() !== '').map(toParts);
  const prompts = new Set<string>();
  let made = 0;
  for (const parts of lines) {
    for (const prompt of combinations(parts)) {
      made += 1;
      if (prompt !== '') prompts.add(prompt);
      if (prompts.size > MAX_PROMPTS || made >= MAX_COMBINATIONS) break;
    }
  }
  const all = lines.reduce(
    (sum, parts) => sum + parts.reduce((product, part) => product * part.length, 1),
    0,
  );
  return {
    prompts: [...prompts],
    // Equal prompts count once, which is known if all of them were made.
    count: made < all ? all : prompts.size,
    values: lines.flat().flatMap((part) => (part.length > 1 ? part : [])),
  };
}

function* combinations(parts: readonly Part[]): Generator<string> {
  const chosen = parts.map(() => 0);
  for (;;) {
    yield parts
      .map((part, at) => part[chosen[at] ?? 0] ?? '')
      .join('')
      .trim();
    // The last choice changes first, as the last digit of a counter does.
    let at = parts.length - 1;
    while (at >= 0 && (chosen[at] ?? 0) + 1 === parts[at]?.length) {
      chosen[at] = 0;
      at -= 1;
    }
    if (at < 0) return;
    chosen[at] = (chosen[at] ?? 0) + 1;
  }
}

const CHOICE = /\{((?:[^{}\\]|\\.)*)\}/gs;

function toParts(line: string): readonly Part[] {
  const parts: Part[] = [];
  let text = '';
  let from = 0;
  for (const { 0: found, 1: inside = '', index } of line.matchAll(CHOICE)) {
    const values = toValues(inside);
    if (values.length < 2 || isEscaped(line, index)) continue;
    text += line.slice(from, index);
    parts.push(
      [unescaped(text)],
      values.map((value) => unescaped(value.trim())),
    );
    text = '';
    from = index + found.length;
  }
  return [...parts, [unescaped(text + line.slice(from))]];
}

const VALUE = /((?:[^,\\]|\\.)*)(,?)/gsy;

/** Splits the text in braces at its commas. A comma after a backslash is a part of a value. */
function toValues(inside: string): Part {
  const values: string[] = [];
  for (const [, value = '', comma] of inside.matchAll(VALUE)) {
    values.push(value);
    if (comma === '') break;
  }
  return values;
}

/** Returns true if an odd number of backslashes precedes this position. */
function isEscaped(line: string, index: number): boolean {
  let backslashes = 0;
  while (line[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function unescaped(text: string): string {
  return text.replace(/\\([{},\\])/g, '$1');
}
