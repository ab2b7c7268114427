import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

const CONTRACT = 'docs/contract.md';
const CONTRACT_TESTS = 'docs/contract-tests.md';
const GUIDE_TESTS = 'docs/guide-tests.md';

/** The pages below `docs` that need no section in `GUIDE_TESTS`. */
const NO_GUIDES: Readonly<Record<string, string>> = {
  'contract.md': 'its tests have a page of their own',
  'contract-tests.md': 'names tests',
  'guide-tests.md': 'names tests',
  'configure.md': 'generated from the settings',
  'field.md': 'reports measurements',
  'performance.md': 'reports measurements',
  'recipes.md': 'all its blocks are run by tests',
  'start.md': 'all its blocks are run by tests, and the contract makes its promises',
};

const LINK = /\]\((?!https?:)([^)\s]+)\)/g;
const NAMED_TEST = /`(test\/[^`]+)`: (.+?)(?=<br>| \|$)/gm;
const SECTION = /^## (.+)$/gm;
const PATH =
  /`((?:lib|handlers|local-runtime|dashboard|test|docs|infra|\.ci)\/[\w./-]+)(?![\w./*-])/g;

/** The provider that a page invents. */
const INVENTED = /acme/;

const DOCUMENT = /(?<![\w/.-])(docs\/[\w/-]+\.md)/g;

const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

/** Every page of the repository, its path relative to the root. */
const PAGES = globSync('{*,{docs,handlers,infra,lib,local-runtime,test}/**/*}.md', { cwd: ROOT });

const SOURCES = globSync(
  '{dashboard/src,handlers,infra,lib,local-runtime,test}/**/*.{mjs,ts,tsx}',
  {
    cwd: ROOT,
  },
);

/** Returns the text outside of fenced code. */
function proseOf(page: string): string {
  return page.replaceAll(/^```.*?^```$/gms, '');
}

/** Returns the anchor that a heading has on the usual hosts of repositories. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function hasAnchor(path: string, anchor: string): boolean {
  const headings = [...proseOf(read(path)).matchAll(/^#+ (.+)$/gm)];
  return headings.some(([, heading = '']) => toAnchor(heading) === anchor);
}

/** Returns the links of a page that lead nowhere. */
function brokenLinks(page: string): readonly string[] {
  const links = [...proseOf(read(page)).matchAll(LINK)].map(([, link = '']) => link);
  return links
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const path = file === '' ? page : posix.join(posix.dirname(page), file);
      if (!existsSync(`${ROOT}${path}`)) return true;
      return anchor !== undefined && !hasAnchor(path, anchor);
    })
    .map((link) => `${page}: ${link}`);
}

/** True if the source text holds this name of a test as a whole string. */
function hasTest(source: string, name: string): boolean {
  const text = source.replaceAll("\\'", "'");
  return ["'", '"', '`'].some((quote) => text.includes(quote + name + quote));
}

const sectionsOf = (page: string) => [...read(page).matchAll(SECTION)].map(([, title]) => title);

describe('the documents', () => {
  it('have no link that leads nowhere', () => {
    expect(PAGES.flatMap(brokenLinks)).toEqual([]);
  });

  it('name only files and folders that exist', () => {
    const missing = PAGES.flatMap((page) =>
      [...read(page).matchAll(PATH)]
        .map(([, path = '']) => path)
        .filter((path) => !INVENTED.test(path) && !existsSync(`${ROOT}${path}`))
        .map((path) => `${page}: ${path}`),
    );

    expect(missing).toEqual([]);
  });

  it('exist if a comment or a text of the program names them', () => {
    const missing = SOURCES.flatMap((path) =>
      [...read(path).matchAll(DOCUMENT)]
        .map(([, document = '']) => document)
        .filter((document) => !existsSync(`${ROOT}${document}`))
        .map((document) => `${path}: ${document}`),
    );

    expect(missing).toEqual([]);
  });
});

describe(CONTRACT_TESTS, () => {
  it('has a section for each section of the contract', () => {
    expect(sectionsOf(CONTRACT_TESTS)).toEqual(sectionsOf(CONTRACT));
  });
});

describe(GUIDE_TESTS, () => {
  it('has a section for each guide', () => {
    const pages = PAGES.filter((page) => posix.dirname(page) === 'docs').map((page) =>
      posix.basename(page),
    );

    expect(sectionsOf(GUIDE_TESTS)).toEqual(
      pages.filter((page) => !(page in NO_GUIDES)).toSorted(),
    );
  });
});

describe.each([
  [CONTRACT_TESTS, 100],
  [GUIDE_TESTS, 50],
])('%s', (page, leastRows) => {
  const named = [...read(page).matchAll(NAMED_TEST)];

  it('names at least one test in each row', () => {
    const rows = read(page)
      .split('\n')
      .filter((line) => line.startsWith('| ') && line !== '| promise | tests |');

    expect(rows.length).toBeGreaterThan(leastRows);
    expect(rows.filter((row) => [...row.matchAll(NAMED_TEST)].length === 0)).toEqual([]);
  });

  it('names only tests that exist', () => {
    const missing = named.filter(
      ([, path = '', name = '']) => !existsSync(`${ROOT}${path}`) || !hasTest(read(path), name),
    );

    expect(missing.map(([whole]) => whole)).toEqual([]);
  });
});
