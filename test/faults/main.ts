// npm run faults -- [--only NAME]... [--missing] [--unchecked]: plants each fault of `patches` in a copy of the repository, one at a time, runs the
// tests that must find the fault, and writes the result into `results.md`. `--only` selects the faults whose names begin with NAME,
// and `--missing` those that no test has found yet. `--unchecked` does not first check that the tests pass without a fault. With
// PREBUILT, `dist` is used as it is.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Fault, ROOT, readFaults } from './faults.ts';
import { readResults, writeResults } from './results.ts';

const TIMEOUT_MS = 900_000;
/** The number of times that a failed test is run again, because a failure of a slow machine must not count as a found fault. */
const RETRIES = 2;

/** Reports that the tests have not ended, so that they say nothing about the fault. */
class NoResultError extends Error {}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    missing: { type: 'boolean' },
    unchecked: { type: 'boolean' },
  },
});
const all = readFaults();
const earlier = readResults();
const faults = all.filter(
  ({ name }) =>
    (values.only?.some((start) => name.startsWith(start)) ?? true) &&
    !(values.missing && earlier.get(name) !== undefined),
);
if (faults.length === 0) throw new Error('no fault is selected');

const copy = mkdtempSync(join(tmpdir(), 'image-bridge-faults-'));
const report = join(copy, 'report.json');
try {
  copyRepository();
  if (process.env['PREBUILT']) cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true });
  else execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, stdio: 'inherit' });
  const tests = values.unchecked ? [] : [...new Set(faults.flatMap(({ tests }) => tests))];
  const failed = tests.length === 0 ? undefined : runTests(tests, []);
  if (failed !== undefined) throw new Error(`a test fails without a fault: ${failed}`);
  let missed = 0;
  for (const fault of faults) {
    try {
      const test = findFault(fault);
      if (test === undefined) missed += 1;
      // A run may be ended at any time, and another run may have written the results of other faults meanwhile.
      writeResults(all, new Map(readResults()).set(fault.name, test));
    } catch (error) {
      if (!(error instanceof NoResultError)) throw error;
      missed += 1;
      console.log(`NO RESULT  ${fault.name}: ${error.message}`);
    }
  }
  console.log(`${faults.length - missed} of ${faults.length} faults found`);
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true });
}

/** Copies all files that git tracks or would track. The packages and the tools of the tests are linked. */
function copyRepository(): void {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  for (const name of names.split('\0').slice(0, -1)) {
    if (!existsSync(join(ROOT, name))) continue;
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    cpSync(join(ROOT, name), join(copy, name));
  }
  for (const name of ['node_modules', '.cache'].filter((name) => existsSync(join(ROOT, name)))) {
    symlinkSync(join(ROOT, name), join(copy, name));
  }
}

/** Plants a fault, runs its tests, removes the fault and prints the result. Returns the name of the test that finds the fault. */
function findFault({ name, path, behaviour, file, tests }: Fault): string | undefined {
  change(file, ['apply', path]);
  try {
    const failed = runTests(tests, ['--bail=1', `--retry=${RETRIES}`]);
    console.log(
      failed === undefined ? `NOT FOUND  ${name}: ${behaviour}` : `found      ${name}: ${failed}`,
    );
    return failed;
  } finally {
    change(file, ['apply', '--reverse', path]);
  }
}

/** Changes a file with git, and compiles the file without a check of its types, because threads run the compiled program. */
function change(file: string, command: readonly string[]): void {
  execFileSync('git', command, { cwd: copy });
  const code = stripTypeScriptTypes(readFileSync(join(copy, file), 'utf8'));
  const imports = /(?<=from '\.[^']+)\.ts(?=';)/g;
  writeFileSync(join(copy, 'dist', file.replace(/ts$/, 'js')), code.replaceAll(imports, '.js'));
}

/**
 * Runs tests. Returns the name of a test that fails, or undefined if all tests pass. Throws a `NoResultError` if the tests have not
 * ended.
 */
function runTests(tests: readonly string[], options: readonly string[]): string | undefined {
  rmSync(report, { force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', ...options],
      ...['--reporter=json', `--outputFile=${report}`, ...tests],
    ],
    { cwd: copy, env: { ...process.env, PREBUILT: 'yes' }, stdio: 'ignore', timeout: TIMEOUT_MS },
  );
  if (status === 0) return undefined;
  const failed = failedTest();
  if (failed === undefined) throw new NoResultError('the tests have not ended');
  return failed;
}

/** Returns the first failed test of the report, or the first file that could not be loaded. */
function failedTest(): string | undefined {
  if (!existsSync(report)) return undefined;
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.find(({ status }) => status === 'failed');
  return failed?.fullName ?? testResults.find(({ status }) => status === 'failed')?.name;
}

/** The members of a report of Vitest that are read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}
