import type { Segment } from '../values/field.ts';
import { eachTomlKey } from './toml-keys.ts';

interface KeyNode {
  readonly line: number;
  readonly inside: Map<Segment, KeyNode>;
}

/**
 * Finds the lines of keys in a valid TOML document. `lineOf` returns the line (from 1) of the first occurrence of a path or
 * of its nearest existing parent.
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
