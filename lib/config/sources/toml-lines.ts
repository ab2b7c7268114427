import type { Segment } from '../values/field.ts';
import { MAX_TOML_DEPTH, parseTomlValue } from './toml.ts';

interface KeyNode {
  readonly line: number;
  readonly inside: Map<Segment, KeyNode>;
}

/**
 * Finds the lines of keys in a valid TOML document. The function `lineOf` returns the line (from 1) of the first occurrence of
 * a path. If the path does not occur, the function returns the line of its nearest parent.
 */
export function createTomlLines(text: string) {
  const document: KeyNode = { line: 1, inside: new Map() };
  eachTomlKey(text, (path, line) => {
    let node = document;
    for (const segment of path) {
      const known = node.inside.get(segment);
      const next = known ?? { line, inside: new Map() };
      if (!known) node.inside.set(segment, next);
      node = next;
    }
  });
  return {
    lineOf(path: readonly Segment[]): number {
      let node = document;
      for (const segment of path) {
        const next = node.inside.get(segment);
        if (!next) break;
        node = next;
      }
      return node.line;
    },
  };
}

/** Returns the last key on the line at which the parser rejected a document, or undefined if the line has no key. */
export function tomlKeyOnLine(text: string, line: number): readonly Segment[] | undefined {
  let found: readonly Segment[] | undefined;
  eachTomlKey(text, (path, keyLine) => {
    if (keyLine === line) found = path;
  });
  return found;
}

type Path = readonly Segment[];
type OnKey = (path: Path, line: number) => void;

interface Cursor {
  readonly text: string;
  readonly onKey: OnKey;
  at: number;
  line: number;
}

/** Maximum number of segments of a reported path. The path of every setting is shorter. */
const LONGEST_PATH = 16;

/**
 * Calls `onKey` for every key and list item of a TOML document, in order, with the whole path and the line (from 1). The
 * TOML parser reports no positions, so this function implements the part of TOML's grammar that is needed to find keys. In
 * an invalid document, the search stops at the error or slightly before the error.
 */
export function eachTomlKey(text: string, onKey: OnKey): void {
  const cursor: Cursor = { text, onKey, at: text.startsWith('\ufeff') ? 1 : 0, line: 1 };
  let table: Path = [];
  for (skipBlank(cursor); cursor.at < text.length; skipBlank(cursor)) {
    if (text[cursor.at] === '[') {
      const brackets = text[cursor.at + 1] === '[' ? 2 : 1;
      cursor.at += brackets;
      const header = takeKey(cursor, [], ']');
      if (!header) return;
      table = header;
      cursor.at += brackets;
    } else if (!skipPair(cursor, table, 0)) return;
  }
}

function skipPair(cursor: Cursor, table: Path, depth: number): boolean {
  const path = takeKey(cursor, table, '=');
  if (!path) return false;
  cursor.at += 1;
  skipSpaces(cursor);
  return skipValue(cursor, path, depth);
}

function skipValue(cursor: Cursor, path: Path, depth: number): boolean {
  const first = cursor.text[cursor.at];
  if (first === '[') {
    return skipItems(cursor, ']', depth, (index) => {
      const item = longer(path, [index]);
      cursor.onKey(item, cursor.line);
      return skipValue(cursor, item, depth + 1);
    });
  }
  if (first === '{') return skipItems(cursor, '}', depth, () => skipPair(cursor, path, depth + 1));
  if (first === '"' || first === "'") {
    const end = stringEnd(cursor.text, cursor.at);
    if (end !== undefined) moveTo(cursor, end);
    return end !== undefined;
  }
  skip(cursor, /[^,\]}#\r\n]*/y);
  return true;
}

function skipItems(
  cursor: Cursor,
  close: string,
  depth: number,
  skipItem: (index: number) => boolean,
): boolean {
  if (depth >= MAX_TOML_DEPTH) return false;
  cursor.at += 1;
  for (let index = 0; ; index += 1) {
    skipBlank(cursor);
    if (cursor.text[cursor.at] === close) break;
    if (!skipItem(index)) return false;
    skipBlank(cursor);
    if (cursor.text[cursor.at] === close) break;
    if (cursor.text[cursor.at] !== ',') return false;
    cursor.at += 1;
  }
  cursor.at += 1;
  return true;
}

/**
 * Reads a dotted key up to `close`. Calls `onKey` for the key and for each table that the key opens. Returns undefined if the key
 * is malformed.
 */
function takeKey(cursor: Cursor, table: Path, close: '=' | ']'): Path | undefined {
  const { text } = cursor;
  const segments: string[] = [];
  do {
    if (segments.length > 0) cursor.at += 1;
    skipSpaces(cursor);
    const end = keyEnd(text, cursor.at);
    const segment = end === undefined ? undefined : keyOf(text.slice(cursor.at, end));
    if (end === undefined || segment === undefined) return undefined;
    segments.push(segment);
    cursor.at = end;
    skipSpaces(cursor);
  } while (text[cursor.at] === '.');
  // A text without `close` after it may be a misplaced value, perhaps a secret, and must not be reported as a key.
  if (text[cursor.at] !== close) return undefined;
  const path = longer(table, segments);
  for (let length = table.length + 1; length <= path.length; length += 1) {
    cursor.onKey(path.slice(0, length), cursor.line);
  }
  return path;
}

function keyEnd(text: string, start: number): number | undefined {
  if (text[start] === '"' || text[start] === "'") return stringEnd(text, start);
  const bare = /[A-Za-z0-9_-]+/y;
  bare.lastIndex = start;
  return bare.test(text) ? bare.lastIndex : undefined;
}

function keyOf(source: string): string | undefined {
  if (!/^["']/.test(source)) return source;
  const value = source.includes('\\') ? parseTomlValue(source) : source.slice(1, -1);
  return typeof value === 'string' ? value : undefined;
}

/** Returns the position after a string of any of TOML's four kinds, or undefined if the string is not closed. */
function stringEnd(text: string, start: number): number | undefined {
  const quote = text.charAt(start);
  const isLong = text.startsWith(quote.repeat(3), start);
  const close = isLong ? quote.repeat(3) : quote;
  for (let at = start + close.length; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (!isLong && text[at] === '\n') return undefined;
    else if (text.startsWith(close, at)) {
      let end = at + close.length;
      // Up to two quotes may precede the three closing quotes.
      while (isLong && end < at + 5 && text[end] === quote) end += 1;
      return end;
    }
  }
  return undefined;
}

/** Skips white space, line breaks and comments. */
function skipBlank(cursor: Cursor): void {
  skip(cursor, /(?:[ \t\r\n]|#[^\n]*)*/y);
}

function skipSpaces(cursor: Cursor): void {
  skip(cursor, /[ \t]*/y);
}

/** Skips the text that the sticky `pattern` matches, which may be empty. */
function skip(cursor: Cursor, pattern: RegExp): void {
  pattern.lastIndex = cursor.at;
  moveTo(cursor, cursor.at + (pattern.exec(cursor.text)?.[0].length ?? 0));
}

function moveTo(cursor: Cursor, end: number): void {
  for (; cursor.at < end; cursor.at += 1) if (cursor.text[cursor.at] === '\n') cursor.line += 1;
}

function longer(path: Path, segments: Path): Path {
  return [...path, ...segments.slice(0, Math.max(0, LONGEST_PATH - path.length))];
}
