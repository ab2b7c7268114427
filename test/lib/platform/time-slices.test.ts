import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTimeSlices, type Steps } from '../../../lib/platform/time-slices.ts';

const { signal } = new AbortController();

describe('createTimeSlices', () => {
  it('runs other work when the budget of a turn is spent', async () => {
    const { slices, steps, order } = open(3);
    setImmediate(() => order.push('other'));

    await slices.run(steps('a', 4), signal);

    expect(order).toEqual(['a1', 'a2', 'other', 'a3', 'a4']);
  });

  it('runs short work in the same turn', async () => {
    const { slices, steps, order } = open(0);
    setImmediate(() => order.push('other'));

    const result = await slices.run(steps('a', 3), signal);

    expect(result).toBe('a');
    expect(order).toEqual(['a1', 'a2', 'a3']);
  });

  it('has one budget per turn for all work', async () => {
    const { slices, steps, order } = open(2);
    const names = Array.from({ length: 60 }, (_, index) => `${index}.`);

    const running = Promise.all(names.map((name) => slices.run(steps(name, 1), signal)));
    const stepsInTurns: number[] = [];
    for (let before = 0; order.length < names.length; before = order.length) {
      stepsInTurns.push(order.length - before);
      await nextTurn();
    }

    await expect(running).resolves.toEqual(names);
    expect(Math.max(...stepsInTurns)).toBe(3);
  });

  it('does not renew the budget within a turn', async () => {
    const { slices, steps, order } = open(5);

    const first = slices.run(steps('a', 1), signal);
    await Promise.resolve();
    const second = slices.run(steps('b', 1), signal);
    const inTheFirstTurn = [...order];
    await Promise.all([first, second]);

    expect(inTheFirstTurn).toEqual(['a1']);
    expect(order).toEqual(['a1', 'b1']);
  });

  it('continues work that spent the budget after the other work', async () => {
    const { slices, steps, order } = open(5);

    const names = await Promise.all([
      slices.run(steps('a', 3), signal),
      slices.run(steps('b', 1), signal),
      slices.run(steps('c', 2), signal),
    ]);

    expect(names).toEqual(['a', 'b', 'c']);
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'c2']);
  });

  it('runs no step after an abort', async () => {
    const { slices, steps, order } = open(10);
    const controller = new AbortController();
    const reason = new Error('the client disconnected');

    const running = slices.run(steps('a', 1000), controller.signal);
    controller.abort(reason);

    await expect(running).rejects.toBe(reason);
    expect(order).toEqual(['a1']);
  });

  it('rejects with the error of failed work, and runs the other work', async () => {
    const { slices, steps } = open(5);
    const failure = new Error('broken');
    function* failing(): Steps<never> {
      yield;
      throw failure;
    }

    const failed = slices.run(failing(), signal);
    const other = slices.run(steps('a', 2), signal);

    await expect(failed).rejects.toBe(failure);
    await expect(other).resolves.toBe('a');
  });
});

/** Creates time slices with a clock on which each step lasts `stepMs`, and records the order of the steps. */
function open(stepMs: number) {
  let nowMs = 0;
  const order: string[] = [];
  function* steps(name: string, count: number): Steps<string> {
    for (let step = 1; step <= count; step += 1) {
      nowMs += stepMs;
      order.push(`${name}${step}`);
      if (step < count) yield;
    }
    return name;
  }
  return { slices: createTimeSlices({ monotonicMs: () => nowMs }), steps, order };
}
