import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { barrels, cycles, packageBreaches, WALLS, wallBreaches } from './rooms.ts';
import { ROOT, readSources, type SourceFile } from './sources.ts';

const program = readSources();
const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(
  readFileSync(`${ROOT}package.json`, 'utf8'),
);
const page = program.filter(({ path }) => path.startsWith('dashboard/'));
const service = program.filter((file) => !page.includes(file));

/** Creates a program of these files: each path with its imports, and `others` without imports. */
function filesWith(
  imports: Readonly<Record<string, readonly string[]>>,
  ...others: readonly string[]
) {
  const files: SourceFile[] = Object.entries(imports).map(([path, statements]) => ({
    path,
    text: `${statements.join('\n')}\nexport const here = 1;\n`,
  }));
  return [...files, ...others.map((path) => ({ path, text: 'export const there = 1;\n' }))];
}

describe('the program', () => {
  it('is read by this test', () => {
    const tops = new Set(program.map(({ path }) => path.split('/')[0]));

    expect(tops).toEqual(new Set(['handlers', 'lib', 'local-runtime', 'dashboard']));
    expect(program.length).toBeGreaterThan(200);
  });

  it('imports only what the rooms allow', () => {
    expect(wallBreaches(program)).toEqual([]);
  });

  it('imports each outside package only in its home, and has no unused package', () => {
    expect(packageBreaches(service, Object.keys(manifest.dependencies))).toEqual([]);
  });

  it('builds its page from development dependencies or from dependencies of the program', () => {
    const packages = { ...manifest.devDependencies, ...manifest.dependencies };
    const breaches = packageBreaches(page, Object.keys(packages));

    expect(breaches.filter((breach) => !breach.endsWith('no file imports it'))).toEqual([]);
  });

  it('has no cycle of imports', () => {
    expect(cycles(program)).toEqual([]);
  });

  it('has no barrel files', () => {
    expect(barrels(program)).toEqual([]);
  });
});

describe('wallBreaches', () => {
  it('has every room once', () => {
    const names = WALLS.map((wall) => wall.room);

    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    [
      'a room that is above and named',
      'lib/artifacts/a.ts',
      "import { b } from '../images/b.ts';",
      'lib/images/b.ts',
    ],
    [
      'a file of the same room',
      'lib/images/a.ts',
      "import { b } from './b.ts';",
      'lib/images/b.ts',
    ],
    [
      'errors from anywhere',
      'lib/images/a.ts',
      "import { b } from '../errors/b.ts';",
      'lib/errors/b.ts',
    ],
    [
      'types of the settings',
      'lib/images/a.ts',
      "import type { B } from '../config/b.ts';",
      'lib/config/b.ts',
    ],
    [
      'a port where ports are named',
      'lib/inputs/a.ts',
      "import type { B } from '../artifacts/b-port.ts';",
      'lib/artifacts/b-port.ts',
    ],
    [
      'any port from the drivers',
      'lib/storage/sqlite/a.ts',
      "import type { B } from '../../jobs/b-port.ts';",
      'lib/jobs/b-port.ts',
    ],
    [
      'types where types are named',
      'lib/openai/a.ts',
      "import type { B } from '../generation/b.ts';",
      'lib/generation/b.ts',
    ],
    ['the log from a service', 'lib/jobs/a.ts', "import { b } from '../log/b.ts';", 'lib/log/b.ts'],
    [
      'any room from the composition root',
      'lib/app.ts',
      "import { b } from './jobs/b.ts';",
      'lib/jobs/b.ts',
    ],
    [
      'the entry of the stores from the composition root',
      'lib/app.ts',
      "import { openStores } from './storage/open-stores.ts';",
      'lib/storage/open-stores.ts',
    ],
    [
      'the stack from a handler',
      'handlers/jobs/a.ts',
      "import { b } from '../../lib/http/b.ts';",
      'lib/http/b.ts',
    ],
    [
      'the route table from the server',
      'local-runtime/server/a.ts',
      "import { routes } from '../../handlers/routes.ts';",
      'handlers/routes.ts',
    ],
    [
      'the server from the gateway',
      'local-runtime/gateway/a.ts',
      "import { b } from '../server/listener/b.ts';",
      'local-runtime/server/listener/b.ts',
    ],
    [
      'the tools for agents from the server',
      'local-runtime/server/a.ts',
      "import { b } from '../mcp/b.ts';",
      'local-runtime/mcp/b.ts',
    ],
    [
      'the client of a service from the command line',
      'local-runtime/cli/commands/a.ts',
      "import { b } from '../../client/b.ts';",
      'local-runtime/client/b.ts',
    ],
    [
      'the command line from the entry',
      'local-runtime/main.ts',
      "import { b } from './cli/b.ts';",
      'local-runtime/cli/b.ts',
    ],
    [
      'a style sheet from the page',
      'dashboard/src/a.tsx',
      "import './a.css';",
      'dashboard/src/b.ts',
    ],
    [
      'a port from a port of a room above',
      'lib/jobs/a-port.ts',
      "import type { B } from '../artifacts/b-port.ts';",
      'lib/artifacts/b-port.ts',
    ],
  ])('lets through %s', (_what, from, statement, to) => {
    const files = filesWith({ [from]: [statement] }, to);

    expect(wallBreaches(files)).toEqual([]);
  });

  it.each([
    [
      'a room below',
      'lib/images/a.ts',
      "import { b } from '../artifacts/b.ts';",
      'lib/artifacts/b.ts',
    ],
    [
      'a room above that is not named',
      'lib/providers/a.ts',
      "import { b } from '../inputs/b.ts';",
      'lib/inputs/b.ts',
    ],
    [
      'a type of a room that is not named',
      'lib/admission/a.ts',
      "import type { B } from '../images/b.ts';",
      'lib/images/b.ts',
    ],
    [
      'a type named inline',
      'lib/admission/a.ts',
      "import { type B } from '../images/b.ts';",
      'lib/images/b.ts',
    ],
    [
      'a type by import()',
      'lib/admission/a.ts',
      "export type B = import('../images/b.ts').B;",
      'lib/images/b.ts',
    ],
    [
      'a room loaded later',
      'lib/admission/a.ts',
      "export const b = () => import('../images/b.ts');",
      'lib/images/b.ts',
    ],
    [
      'a room that is re-exported',
      'lib/admission/a.ts',
      "export { b } from '../images/b.ts';",
      'lib/images/b.ts',
    ],
    [
      'values of the settings',
      'lib/images/a.ts',
      "import { b } from '../config/b.ts';",
      'lib/config/b.ts',
    ],
    [
      'values of the settings beside types',
      'lib/images/a.ts',
      "import { type A, b } from '../config/b.ts';",
      'lib/config/b.ts',
    ],
    [
      'more than the port',
      'lib/inputs/a.ts',
      "import { b } from '../artifacts/b.ts';",
      'lib/artifacts/b.ts',
    ],
    [
      'more than the types',
      'lib/openai/a.ts',
      "import { b } from '../generation/b.ts';",
      'lib/generation/b.ts',
    ],
    [
      'the log from functions on bytes',
      'lib/images/a.ts',
      "import { b } from '../log/b.ts';",
      'lib/log/b.ts',
    ],
    [
      'a driver from a service',
      'lib/jobs/a.ts',
      "import { b } from '../storage/b.ts';",
      'lib/storage/b.ts',
    ],
    [
      'a driver from the composition root',
      'lib/app.ts',
      "import { b } from './storage/sqlite/b.ts';",
      'lib/storage/sqlite/b.ts',
    ],
    [
      'a type of a driver from the command line',
      'local-runtime/cli/a.ts',
      "import type { B } from '../../lib/storage/sqlite/b.ts';",
      'lib/storage/sqlite/b.ts',
    ],
    [
      'the command line from the server',
      'local-runtime/server/a.ts',
      "import { b } from '../cli/b.ts';",
      'local-runtime/cli/b.ts',
    ],
    [
      'a type of the command line from the gateway',
      'local-runtime/gateway/a.ts',
      "import type { B } from '../cli/b.ts';",
      'local-runtime/cli/b.ts',
    ],
    [
      'the gateway from the server',
      'local-runtime/server/a.ts',
      "import { b } from '../gateway/b.ts';",
      'local-runtime/gateway/b.ts',
    ],
    [
      'the server from the tools for agents',
      'local-runtime/mcp/a.ts',
      "import { b } from '../server/b.ts';",
      'local-runtime/server/b.ts',
    ],
    [
      'the stores from the gateway',
      'local-runtime/gateway/a.ts',
      "import { openStores } from '../../lib/storage/open-stores.ts';",
      'lib/storage/open-stores.ts',
    ],
    [
      'what a port hides from the driver',
      'lib/storage/a.ts',
      "import { b } from '../jobs/b.ts';",
      'lib/jobs/b.ts',
    ],
    [
      'its own room from a port',
      'lib/jobs/a-port.ts',
      "import type { B } from './b.ts';",
      'lib/jobs/b.ts',
    ],
    [
      'a named room from a port',
      'lib/artifacts/a-port.ts',
      "import type { B } from '../images/b.ts';",
      'lib/images/b.ts',
    ],
    [
      'the composition root from a room',
      'lib/diagnostics/a.ts',
      "import { b } from '../app.ts';",
      'lib/app.ts',
    ],
    [
      'values into the list of services',
      'lib/services.ts',
      "import { b } from './jobs/b.ts';",
      'lib/jobs/b.ts',
    ],
    [
      'handlers from lib',
      'lib/jobs/a.ts',
      "import { b } from '../../handlers/jobs/b.ts';",
      'handlers/jobs/b.ts',
    ],
    [
      'the runtime from lib',
      'lib/app.ts',
      "import { b } from '../local-runtime/server/b.ts';",
      'local-runtime/server/b.ts',
    ],
    [
      'the runtime from a handler',
      'handlers/jobs/a.ts',
      "import { b } from '../../local-runtime/server/b.ts';",
      'local-runtime/server/b.ts',
    ],
    [
      'a service from a handler',
      'handlers/jobs/a.ts',
      "import { b } from '../../lib/jobs/b.ts';",
      'lib/jobs/b.ts',
    ],
    [
      'services as values from a handler',
      'handlers/jobs/a.ts',
      "import { b } from '../../lib/services.ts';",
      'lib/services.ts',
    ],
    [
      'the route table from a handler',
      'handlers/jobs/a.ts',
      "import { b } from '../routes.ts';",
      'handlers/routes.ts',
    ],
    ['another handler', 'handlers/jobs/a.ts', "import { b } from './b.ts';", 'handlers/jobs/b.ts'],
    [
      'a handler of another resource',
      'handlers/jobs/a.ts',
      "import { b } from '../images/b.ts';",
      'handlers/images/b.ts',
    ],
    [
      'the stack as values into the route table',
      'handlers/routes.ts',
      "import { b } from '../lib/http/b.ts';",
      'lib/http/b.ts',
    ],
    [
      'a reply without a route in the route table',
      'handlers/routes.ts',
      "import { b } from './errors/b.ts';",
      'handlers/errors/b.ts',
    ],
    [
      'a single handler from the server',
      'local-runtime/server/a.ts',
      "import { b } from '../../handlers/jobs/b.ts';",
      'handlers/jobs/b.ts',
    ],
    [
      'the library from the dashboard',
      'dashboard/a.ts',
      "import { b } from '../lib/contract/b.ts';",
      'lib/contract/b.ts',
    ],
    [
      'a style sheet outside of the page',
      'dashboard/src/a.tsx',
      "import '../../lib/contract/a.css';",
      'lib/contract/a.css',
    ],
    [
      'the dashboard from the server',
      'local-runtime/server/a.ts',
      "import { b } from '../../dashboard/b.ts';",
      'dashboard/b.ts',
    ],
    [
      'tests',
      'local-runtime/server/a.ts',
      "import { b } from '../../test/support/b.ts';",
      'test/support/b.ts',
    ],
    [
      'a file that is not there',
      'lib/images/a.ts',
      "import { b } from './b.ts';",
      'lib/images/c.ts',
    ],
    [
      'a file without its extension',
      'lib/images/a.ts',
      "import { b } from './b';",
      'lib/images/b.ts',
    ],
  ])('reports %s', (_what, from, statement, to) => {
    const files = filesWith({ [from]: [statement] }, ...(to.startsWith('test/') ? [] : [to]));
    const specifier = /'(\..*?)'/.exec(statement)?.[1];

    const breaches = wallBreaches(files);

    expect(breaches).toHaveLength(1);
    expect(breaches[0]).toContain(`${from} imports ${specifier}: `);
  });

  it('reports an import whose specifier is not a literal', () => {
    const files = filesWith({
      'lib/images/a.ts': ['export const b = (name: string) => import(name);'],
    });

    expect(wallBreaches(files)).toEqual(['lib/images/a.ts: imports something that is no literal']);
  });

  it.each([
    'lib/cellar/a.ts',
    'lib/a.ts',
    'handlers/a.ts',
    'handlers/jobs/deep/a.ts',
    'server/a.ts',
    'local-runtime/a.ts',
    'local-runtime/cellar/a.ts',
  ])('reports %s, which belongs to no room', (path) => {
    expect(wallBreaches(filesWith({}, path))).toEqual([
      `${path}: no row of the table covers this file`,
    ]);
  });
});

describe('packageBreaches', () => {
  it.each([
    ['outside its home', 'lib/generation/a.ts', 'sharp', 'home is elsewhere'],
    ['outside its home as a type', 'handlers/jobs/a.ts', 'hono', 'home is elsewhere'],
    ['outside its home by a path inside it', 'lib/http/a.ts', 'hono/cors', 'home is elsewhere'],
    [
      'in the server, but not in the locks',
      'local-runtime/server/start.ts',
      'better-sqlite3',
      'home is elsewhere',
    ],
    ['without a home', 'lib/net/a.ts', 'left-pad', 'has no home'],
    ['of a scope without a home', 'local-runtime/server/a.ts', '@hono/other', 'has no home'],
    ['by a name of our own manifest', 'lib/jobs/a.ts', '#package', 'has no home'],
    ['that is not declared', 'lib/net/a.ts', 'undici', 'package.json lacks it'],
  ])('reports a package %s', (_what, from, specifier, reason) => {
    const files = filesWith({ [from]: [`import type { b } from '${specifier}';`] });

    const breaches = packageBreaches(files, []);

    expect(breaches).toHaveLength(1);
    expect(breaches[0]).toContain(`${from} imports ${specifier}: `);
    expect(breaches[0]).toContain(reason);
  });

  it.each([
    ['local-runtime/server/locks/state-lock.ts', 'better-sqlite3'],
    ['lib/storage/sqlite/a.ts', 'better-sqlite3'],
    ['lib/contract/a.ts', '@valibot/to-json-schema/schema'],
    ['handlers/jobs/a.ts', 'valibot'],
    ['lib/images/a.ts', 'node:crypto'],
  ])('lets %s import %s', (from, specifier) => {
    const files = filesWith({ [from]: [`import { b } from '${specifier}';`] });
    const dependencies = specifier.startsWith('node:')
      ? []
      : [specifier.startsWith('@') ? '@valibot/to-json-schema' : specifier];

    expect(packageBreaches(files, dependencies)).toEqual([]);
  });

  it('reports a dependency that no file imports', () => {
    expect(packageBreaches([], ['sharp'])).toEqual([
      'package.json depends on sharp: no file imports it',
    ]);
  });
});

describe('cycles', () => {
  it('reports a ring once, type-only imports included', () => {
    const files = filesWith({
      'lib/jobs/b.ts': ["import type { C } from './c.ts';"],
      'lib/jobs/c.ts': ["import { a } from './a.ts';"],
      'lib/jobs/a.ts': ["import { b } from './b.ts';"],
      'lib/jobs/outside.ts': ["import { a } from './a.ts';"],
    });

    expect(cycles(files)).toEqual([
      'a cycle of imports: lib/jobs/a.ts → lib/jobs/b.ts → lib/jobs/c.ts → lib/jobs/a.ts',
    ]);
  });

  it('reports a file that imports itself', () => {
    const files = filesWith({ 'lib/jobs/a.ts': ["import type { A } from './a.ts';"] });

    expect(cycles(files)).toEqual(['a cycle of imports: lib/jobs/a.ts → lib/jobs/a.ts']);
  });

  it('finds none when two paths lead to one file', () => {
    const files = filesWith({
      'lib/jobs/a.ts': ["import { b } from './b.ts';", "import { c } from './c.ts';"],
      'lib/jobs/b.ts': ["import { c } from './c.ts';"],
      'lib/jobs/c.ts': [],
    });

    expect(cycles(files)).toEqual([]);
  });
});

describe('barrels', () => {
  it.each([
    ['names of another file', "export { b } from './b.ts';"],
    ['everything of another file', "export * from './b.ts';"],
    ['types of another file', "export type { B } from './b.ts';"],
    ['what it has imported', "import { b } from './b.ts';\nexport { b as c };"],
  ])('reports a file that hands on %s', (_what, statement) => {
    const files = filesWith({ 'lib/jobs/a.ts': [statement] });

    expect(barrels(files)).toHaveLength(1);
    expect(barrels(files)[0]).toContain('lib/jobs/a.ts hands on ');
  });

  it('allows a file to export its own declarations', () => {
    const files = filesWith({
      'lib/jobs/a.ts': ["import { b } from './b.ts';", 'const a = b;', 'export { a };'],
    });

    expect(barrels(files)).toEqual([]);
  });
});
