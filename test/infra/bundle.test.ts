import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

it('the built program starts without naming Node, as a link to the checkout starts the program', () => {
  const run = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });

  expect(run.error).toBeUndefined();
  expect(run.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
