import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, ROOT } from './faults.ts';

/** The path of the table of results, relative to the root. */
export const RESULTS = 'test/faults/results.md';

/** The result of a fault: the name of the test that has found the fault, or undefined if no test has found the fault. */
export type Results = ReadonlyMap<string, string | undefined>;

const NOT_FOUND = 'not found';
const ROW = /^\| `([^`]+)` \| .+ \| (.+) \|$/gm;

/** Reads the latest results. A fault that was never planted has no result. */
export function readResults(): Results {
  const path = join(ROOT, RESULTS);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return new Map(
    [...text.matchAll(ROW)].map(([, name = '', test]) => [
      name,
      test === NOT_FOUND ? undefined : test,
    ]),
  );
}

/** Writes the table of results. A fault without a result is omitted. */
export function writeResults(faults: readonly Fault[], results: Results): void {
  const planted = faults.filter(({ name }) => results.has(name));
  const found = planted.filter(({ name }) => results.get(name) !== undefined);
  const open = faults.length - planted.length;
  const rows = planted.map(({ name, behaviour }) => {
    const test = results.get(name) ?? NOT_FOUND;
    return `| \`${name}\` | ${cell(behaviour)} | ${cell(test)} |`;
  });
  const text = [
    '# Results of the planted faults',
    '',
    `\`npm run faults\` writes this page. Tests have found ${found.length} of ${planted.length} planted faults.`,
    ...(open === 0 ? [] : [`Faults in \`patches\` that have no result here yet: ${open}.`]),
    '',
    '| fault | behaviour | found by the test |',
    '|---|---|---|',
    ...rows,
  ];
  writeFileSync(join(ROOT, RESULTS), `${text.join('\n')}\n`);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
