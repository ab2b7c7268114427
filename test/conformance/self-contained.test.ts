import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

/** Folders that are not part of a checkout. */
const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'test-results', '.cache', '.git']);

/** The benchmarks run compiled, one folder deeper. */
const COMPILED = /^test\/(bench|support)\//;

const BINARY = /\.(png|jpe?g|webp|sqlite)$/;

/** Folders of one machine. */
const ABSOLUTE = /["'`\s=(](\/(?:work|root|home|Users)\/)/;

/** Every text file of the project, its path relative to the repository. */
function readProject(): readonly { readonly path: string; readonly lines: readonly string[] }[] {
  return readdirSync(ROOT)
    .filter((name) => !NOT_OURS.has(name))
    .flatMap(filesBelow)
    .filter((path) => !BINARY.test(path))
    .map((path) => ({ path, lines: readFileSync(`${ROOT}${path}`, 'utf8').split('\n') }));
}

function filesBelow(path: string): readonly string[] {
  if (statSync(`${ROOT}${path}`).isFile()) return [path];
  return readdirSync(`${ROOT}${path}`).flatMap((name) => filesBelow(`${path}/${name}`));
}

/** The lines of a file that name a path outside of the project. */
function outsidePaths(path: string, lines: readonly string[]): readonly string[] {
  const depth = path.split('/').length - (COMPILED.test(path) ? 0 : 1);
  return lines.flatMap((line, index) => {
    const climbs = [...line.matchAll(/(?:\.\.\/)+/g)].some(([steps]) => steps.length / 3 > depth);
    return climbs || ABSOLUTE.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [];
  });
}

/** Computed: this file itself must not contain such a path. */
const up = (levels: number) => '../'.repeat(levels);

describe('the project', () => {
  it('names no path outside of itself', () => {
    const found = readProject().flatMap(({ path, lines }) => outsidePaths(path, lines));

    expect(found).toEqual([]);
  });

  it.each([
    ['test/a/b.ts', `new URL('${up(3)}beside/photo.png', import.meta.url)`],
    ['README.md', `see ${up(1)}beside/README.md`],
    ['.ci/run', `cp ${up(2)}beside/photo.png .`],
    ['lib/a.ts', `readFile("${['', 'home', 'somebody', 'photo.png'].join('/')}")`],
  ])('is found out when %s names one', (path, line) => {
    expect(outsidePaths(path, [line])).toHaveLength(1);
  });

  it.each([
    ['test/a/b.ts', `import { a } from '../../lib/a.ts';`],
    ['test/bench/a.ts', `new URL('${up(3)}docs/performance.md', import.meta.url)`],
    ['lib/a.ts', 'fetch("https://example.com/home/page")'],
  ])('may name what lies inside of it, as %s does', (path, line) => {
    expect(outsidePaths(path, [line])).toEqual([]);
  });
});
