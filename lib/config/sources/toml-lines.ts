import type { Segment } from '../values/field.ts';
import { eachTomlKey } from './toml-keys.ts';

interface KeyNode {
  readonly line: number;
  readonly inside: Map<Segment, KeyNode>;
}

/** Where the keys of a valid TOML document are first written: the line, from 1, of a path or of the nearest one around it. */
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

/** The key that stands last on a line of a document which the parser refused there; undefined when none is found. */
export function tomlKeyOnLine(text: string, line: number): readonly Segment[] | undefined {
  let found: readonly Segment[] | undefined;
  eachTomlKey(text, (path, keyLine) => {
    if (keyLine === line) found = path;
  });
  return found;
}
