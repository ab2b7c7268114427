import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

/** The import statement of each planted file, with the rules that must report the file. */
const PLANTED: Readonly<Record<string, readonly [statement: string, ...rules: readonly string[]]>> =
  {
    // Allowed.
    'lib/artifacts/above.ts': ["import { b } from '../images/b.ts'; b;"],
    'lib/images/same-room.ts': ["import { b } from './b.ts'; b;"],
    'lib/images/settings-type.ts': ["import type { B } from '../config/b.ts'; export type C = B;"],
    'lib/openai/inline-type.ts': [
      "import { type B } from '../generation/b.ts'; export type C = B;",
    ],
    'lib/usage/type-by-name.ts': ["export type C = import('../generation/b.ts').B;"],
    'lib/inputs/port.ts': ["import { b } from '../artifacts/b-port.ts'; b;"],
    'lib/images/home.ts': ["import sharp from 'sharp'; sharp;"],
    'lib/images/node.ts': ["import { hash } from 'node:crypto'; hash;"],
    'lib/app.ts': ["import { b } from './storage/open-stores.ts'; b;"],
    'handlers/jobs/stack.ts': ["import { b } from '../../lib/http/b.ts'; b;"],
    // Refused.
    'lib/images/below.ts': ["import { b } from '../artifacts/b.ts'; b;", 'not-in-allowed'],
    'lib/images/type-below.ts': [
      "import type { B } from '../artifacts/b.ts'; export type C = B;",
      'not-in-allowed',
    ],
    'lib/images/named-below.ts': [
      "export type C = import('../artifacts/b.ts').B;",
      'not-in-allowed',
    ],
    'lib/images/later.ts': [
      "export const later = () => import('../artifacts/b.ts');",
      'not-in-allowed',
    ],
    'lib/images/settings.ts': ["import { type B, b } from '../config/b.ts'; b;", 'not-in-allowed'],
    'lib/inputs/no-port-named.ts': ["import { b } from '../artifacts/b.ts'; b;", 'not-in-allowed'],
    'lib/jobs/driver.ts': [
      "import { b } from '../storage/sqlite/b.ts'; b;",
      'inside-a-driver',
      'not-in-allowed',
    ],
    'lib/app-jobs.ts': ["import { b } from './storage/sqlite/b.ts'; b;", 'inside-a-driver'],
    'lib/jobs/own-port.ts': [
      "import type { B } from './b.ts'; export type C = B;",
      'port-with-code',
    ],
    'lib/jobs/handler.ts': ["import { b } from '../../handlers/jobs/b.ts'; b;", 'not-in-allowed'],
    'lib/jobs/tests.ts': ["import { b } from '../../test/b.ts'; b;", 'not-in-allowed'],
    'lib/jobs/ring-a.ts': ["import { b } from './ring-b.ts'; b;", 'cycle'],
    'lib/jobs/ring-b.ts': ["import type { B } from './ring-a.ts'; export type C = B;"],
    'lib/jobs/absent.ts': [
      "import { b } from './gone.ts'; b;",
      'missing-file',
      'not-in-allowed',
      'undeclared-package',
    ],
    'lib/jobs/guest.ts': ["import sharp from 'sharp'; sharp;", 'not-in-allowed'],
    'lib/images/tool.ts': [
      "import tool from 'tool'; tool;",
      'not-in-allowed',
      'undeclared-package',
    ],
    'lib/cellar/a.ts': ["import { b } from '../jobs/b.ts'; b;", 'no-room', 'not-in-allowed'],
    'handlers/jobs/a.ts': ["import { b } from './b.ts'; b;", 'not-in-allowed'],
    'handlers/jobs/service.ts': ["import { b } from '../../lib/jobs/b.ts'; b;", 'not-in-allowed'],
    'local-runtime/server/cli.ts': ["import { b } from '../cli/b.ts'; b;", 'not-in-allowed'],
    'dashboard/src/a.ts': ["import { b } from '../../lib/contract/b.ts'; b;", 'not-in-allowed'],
  };

/** The files that the planted statements import. */
const IMPORTED = [
  ...['artifacts', 'config', 'contract', 'generation', 'http', 'images', 'jobs'].map(
    (room) => `lib/${room}/b.ts`,
  ),
  'lib/artifacts/b-port.ts',
  'lib/storage/open-stores.ts',
  'lib/storage/sqlite/b.ts',
  'handlers/jobs/b.ts',
  'local-runtime/cli/b.ts',
  'test/b.ts',
];

interface Cruise {
  readonly summary: { readonly violations: readonly { from: string; rule: { name: string } }[] };
}

let folder: string;
let reported: ReadonlyMap<string, readonly string[]>;

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Returns the names of the rules that report each file, sorted. */
function cruise(): ReadonlyMap<string, readonly string[]> {
  const { stdout } = spawnSync(
    process.execPath,
    [
      `${ROOT}node_modules/dependency-cruiser/bin/dependency-cruiser.mjs`,
      ...['--config', `${ROOT}.dependency-cruiser.mjs`, '--output-type', 'json'],
      ...['handlers', 'lib', 'local-runtime', 'dashboard'],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  const { violations } = (JSON.parse(stdout) as Cruise).summary;
  const names = new Map<string, string[]>();
  for (const { from, rule } of violations) {
    names.set(from, [...(names.get(from) ?? []), rule.name].sort());
  }
  return names;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rooms-'));
  plant('package.json', '{"dependencies":{"sharp":"1"},"devDependencies":{"tool":"1"}}');
  plant('tsconfig.json', '{}');
  for (const name of ['sharp', 'tool']) {
    plant(`node_modules/${name}/package.json`, `{"name":"${name}","main":"main.js"}`);
    plant(`node_modules/${name}/main.js`, 'module.exports = 1;\n');
  }
  for (const path of IMPORTED) plant(path, 'export const b = 1;\nexport type B = 1;\n');
  for (const [path, [statement]] of Object.entries(PLANTED)) plant(path, `${statement}\n`);
  reported = cruise();
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('the rules of .dependency-cruiser.mjs', () => {
  it.each(Object.entries(PLANTED))('judge %s as planted', (path, [, ...rules]) => {
    expect(reported.get(path) ?? []).toEqual(rules);
  });

  it('report no file that imports nothing', () => {
    expect(IMPORTED.filter((path) => reported.has(path))).toEqual([]);
  });
});
