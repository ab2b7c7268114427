import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, readSources, type SourceFile } from './sources.ts';

/** Patterns that no line of the program may contain, and the exceptions, each with its reason. */
interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  readonly except?: RegExp;
}

const BANS: readonly Ban[] = [
  {
    what: 'the time, which comes from a Clock',
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/,
    // The clock. A page has the browser's, which a test replaces as a whole.
    except: /^(lib\/platform\/clock\.ts$|dashboard\/)/,
  },
  {
    what: 'a timer, which comes from a Clock',
    // `setTimeout` of a socket sets an option; it is not a timer of the program.
    pattern: /(?<!socket\.)\b(setTimeout|setInterval)\(|\bAbortSignal\.timeout\b/,
    except: /^(lib\/platform\/clock\.ts$|dashboard\/)/,
  },
  {
    what: 'randomness, which comes from Ids',
    pattern: /\bMath\.random\b|\brandom(UUID|Bytes|Int|Fill|FillSync)\b|\bgetRandomValues\b/,
    except: /^(lib\/platform\/ids\.ts$|dashboard\/)/,
  },
  { what: 'a note about unfinished work', pattern: /\b(TODO|FIXME|XXX|HACK)\b/ },
  { what: 'a silenced compiler', pattern: /@ts-(ignore|nocheck)\b/ },
];

/** Without the types that are written from the contract. */
const program = readSources().filter(({ path }) => !path.endsWith('.d.ts'));
const everything = readSources(['handlers', 'lib', 'local-runtime', 'dashboard', 'test']);

function bannedLines(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    BANS.filter(({ except }) => !except?.test(path)).flatMap(({ what, pattern }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          pattern.test(line) ? [`${path}:${index + 1} holds ${what}: ${line.trim()}`] : [],
        ),
    ),
  );
}

/** File names that do not describe the content, or that are not kebab-case. */
function badNames(paths: readonly string[]): readonly string[] {
  return paths.filter((path) =>
    path
      .split('/')
      .some(
        (part) =>
          /^(utils?|helpers?|base|data|info|manager|misc|process|index)(\.|$)/.test(part) ||
          !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(part),
      ),
  );
}

describe('the files of the program', () => {
  it('use no time, no timer and no randomness of their own, and have no unfinished work', () => {
    expect(bannedLines(program)).toEqual([]);
  });

  it('have descriptive names, also the tests', () => {
    expect(badNames(everything.map(({ path }) => path))).toEqual([]);
  });

  it('are all TypeScript', () => {
    const others = ['handlers', 'lib', 'local-runtime'].flatMap((folder) =>
      readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.ts'))
        .map(({ name }) => `${folder}: ${name}`),
    );

    expect(others).toEqual([]);
  });
});

describe('a service with tasks, a dialect of the images API, and the service of the trial', () => {
  it('are each one file of at most 200 lines', () => {
    const isOfService =
      /^(lib\/providers\/(task\/services|openai-images\/dialects)\/|test\/lib\/providers\/task\/new-service\.test\.ts$)/;
    const files = everything.filter(({ path }) => isOfService.test(path));
    const long = files.filter(({ text }) => text.trimEnd().split('\n').length > 200);

    expect(files.length).toBeGreaterThan(20);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('package.json', () => {
  const manifest: {
    files: string[];
    bin: Record<string, string>;
    imports: Record<string, string>;
  } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));

  it('names files that exist after the build', () => {
    const named = [
      ...manifest.files,
      ...Object.values(manifest.bin),
      ...Object.values(manifest.imports),
    ];

    expect(named.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });

  it('ships every file that it names', () => {
    const named = [...Object.values(manifest.bin), ...Object.values(manifest.imports)];
    const shipped = (path: string) =>
      // The package always contains the manifest.
      path === './package.json' ||
      manifest.files.some((entry) => path.replace(/^\.\//, '').startsWith(`${entry}/`));

    expect(named.filter((path) => !shipped(path))).toEqual([]);
  });

  it('has a command that starts with a shebang line', () => {
    const bins = Object.values(manifest.bin).map((path) => readFileSync(`${ROOT}${path}`, 'utf8'));

    expect(bins.map((text) => text.split('\n')[0])).toEqual(['#!/usr/bin/env node']);
  });
});

describe('these rules', () => {
  it.each([
    ['const at = Date.now();', 'lib/jobs/a.ts'],
    ['const at = new Date();', 'local-runtime/a.ts'],
    ['const at = performance.now();', 'lib/images/a.ts'],
    ['setTimeout(run, 5);', 'local-runtime/a.ts'],
    ['globalThis.setInterval(run, 5);', 'local-runtime/a.ts'],
    ['const signal = AbortSignal.timeout(5);', 'lib/net/a.ts'],
    ["import { randomUUID } from 'node:crypto';", 'lib/jobs/a.ts'],
    ['const jitter = Math.random();', 'lib/platform/clock.ts'],
    ["import { randomBytes } from 'node:crypto';", 'handlers/jobs/a.ts'],
    ['// TODO: later', 'lib/jobs/a.ts'],
    ['/* FIXME */', 'lib/platform/clock.ts'],
    ['// @ts-ignore', 'lib/jobs/a.ts'],
  ])('refuse %s in %s', (line, path) => {
    const files = [{ path, text: `\n${line}\n` }];

    expect(bannedLines(files)).toHaveLength(1);
    expect(bannedLines(files)[0]).toContain(`${path}:2 holds `);
  });

  it.each([
    ['socket.setTimeout(0);', 'local-runtime/a.ts'],
    ['const at = Date.now();', 'lib/platform/clock.ts'],
    ['const made = new Date(createdSecs * 1000);', 'lib/jobs/a.ts'],
    ['const schemas = toDocumentSchemas(all);', 'local-runtime/a.ts'],
  ])('allow %s in %s', (line, path) => {
    expect(bannedLines([{ path, text: line }])).toEqual([]);
  });

  it('refuse names that are not descriptive', () => {
    const bad = [
      'lib/utils/a.ts',
      'lib/jobs/helper.ts',
      'lib/jobs/index.ts',
      'lib/jobs/JobQueue.ts',
    ];

    expect(badNames([...bad, 'lib/jobs/job-worker.ts', 'test/lib/jobs/job.test.ts'])).toEqual(bad);
  });
});
