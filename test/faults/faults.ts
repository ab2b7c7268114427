import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '..', '..');

const FOLDER = 'test/faults/patches';

/** A wrong change of the code that tests must find. */
export interface Fault {
  readonly name: string;
  /** The path of the unified diff, relative to the root. */
  readonly path: string;
  /** The sentence about the wrong behaviour, which is the first line of the file. */
  readonly behaviour: string;
  /** The path of the changed file, relative to the root. */
  readonly file: string;
  /** The test files or folders that must find the fault, from the second line of the file. */
  readonly tests: readonly string[];
}

/** Reads the faults in the order of their names. */
export function readFaults(): readonly Fault[] {
  const names = readdirSync(join(ROOT, FOLDER)).toSorted();
  return names.map((name) => {
    const path = join(FOLDER, name);
    const text = readFileSync(join(ROOT, path), 'utf8');
    const [behaviour = ''] = text.split('\n');
    const tests = /^Tests: (.+)$/m.exec(text)?.[1]?.split(' ') ?? [];
    const file = /^\+\+\+ b\/(.+)$/m.exec(text)?.[1] ?? '';
    return { name: name.replace(/\.patch$/, ''), path, behaviour, file, tests };
  });
}
