import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, readFaults } from './faults.ts';
import { readResults } from './results.ts';

const faults = readFaults();

describe('the planted faults', () => {
  test.each(faults)('$name applies to the current code', ({ path }) => {
    expect(() => execFileSync('git', ['apply', '--check', path], { cwd: ROOT })).not.toThrow();
  });

  test.each(faults)('$name says what goes wrong and which tests find the fault', (fault) => {
    expect(fault.behaviour).toMatch(/^[A-Z].+\.$/);
    expect(fault.tests).not.toEqual([]);
    expect(fault.tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test.each(faults)('$name changes one file of the program', ({ path, file }) => {
    expect(readFileSync(join(ROOT, path), 'utf8').match(/^--- /gm)).toHaveLength(1);
    expect(file).toMatch(/^(lib|handlers|local-runtime)\//);
  });

  test('have results under their names only, and nearly all are found', () => {
    const results = readResults();
    const found = [...results.values()].filter((name) => name !== undefined);

    expect(faults.map(({ name }) => name)).toEqual(expect.arrayContaining([...results.keys()]));
    expect(found.length).toBeGreaterThanOrEqual(0.95 * results.size);
  });
});
