import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPacedCalls } from '../../../lib/platform/paced-calls.ts';

it('makes the first calls of a turn at once, and the others in later turns and in their order', async () => {
  const pace = createPacedCalls(2);
  const made: number[] = [];
  const after: number[][] = [];

  for (const nth of [1, 2, 3, 4, 5]) pace(() => made.push(nth));
  for (let turns = 0; turns < 3; turns += 1) {
    after.push([...made]);
    await turn();
  }

  expect(after).toEqual([
    [1, 2],
    [1, 2, 3, 4],
    [1, 2, 3, 4, 5],
  ]);
});

it('makes calls at once again in a turn after a pause', async () => {
  const pace = createPacedCalls(1);
  const made: number[] = [];
  pace(() => made.push(1));
  await turn();

  pace(() => made.push(2));

  expect(made).toEqual([1, 2]);
});

it('makes the calls that a call requests in a later turn if the turn has none left', async () => {
  const pace = createPacedCalls(1);
  const made: string[] = [];

  pace(() => {
    made.push('first');
    pace(() => made.push('second'));
  });
  const atOnce = [...made];
  await turn();

  expect(atOnce).toEqual(['first']);
  expect(made).toEqual(['first', 'second']);
});
