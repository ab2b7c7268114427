import { expect, it } from 'vitest';
import { runBounded } from './bounded-run.ts';

const run = (script: string, maxMs: number) =>
  runBounded(process.execPath, ['--eval', script], { maxMs, graceMs: 3_600_000 });

it('resolves with the exit code of a program that ends in time', async () => {
  expect(await run('process.exitCode = 3', 3_600_000)).toBe(3);
});

it('interrupts a program whose time is over', async () => {
  expect(await run('setInterval(() => {}, 1000)', 0)).toBeNull();
});
