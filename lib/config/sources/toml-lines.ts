import type { Segment } from '../values/field.ts';
import { eachTomlKey } from './toml-keys.ts';

interface Place {
  readonly line: number;
  readonly inside: Map<Segment, Place>;
}

/** Where the keys of a sound TOML document first stand: the line, from 1, of a path or of the nearest one around it. */
export function createTomlLines(text: string) {
  const document: Place = { line: 1, inside: new Map() };
  eachTomlKey(text, (path, line) => {
    let place = document;
    for (const segment of path) {
      const known = place.inside.get(segment);
      const next = known ?? { line, inside: new Map() };
      if (!known) place.inside.set(segment, next);
      place = next;
    }
  });
  return {
    lineOf(path: readonly Segment[]): number {
      let place = document;
      for (const segment of path) {
        const next = place.inside.get(segment);
        if (!next) break;
        place = next;
      }
      return place.line;
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
