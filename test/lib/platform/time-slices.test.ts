import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256Steps } from '../../../lib/images/sha256-steps.ts';
import type { Clock } from '../../../lib/platform/clock.ts';
import { runInSlices, type Steps } from '../../../lib/platform/time-slices.ts';

const signal = new AbortController().signal;

describe('runInSlices', () => {
  it('lets other work run once a slice has lasted long enough', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('other'));

    await runInSlices(
      steps(4, (step) => order.push(`step ${step}`)),
      stepClock(3),
      signal,
    );

    expect(order).toEqual(['step 0', 'step 1', 'other', 'step 2', 'step 3']);
  });

  it('stays in one turn when the work is short', async () => {
    let others = 0;
    setImmediate(() => {
      others += 1;
    });

    await runInSlices(
      steps(4, () => {}),
      stepClock(0),
      signal,
    );

    expect(others).toBe(0);
  });

  it('stops between two slices when it is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    let last = -1;
    const work = steps(1000, (step) => {
      last = step;
      if (step === 2) controller.abort(reason);
    });

    const running = runInSlices(work, stepClock(10), controller.signal);

    await expect(running).rejects.toBe(reason);
    expect(last).toBe(2);
  });
});

describe('sha256Steps', () => {
  it.each([0, 1, 4 * 1024 * 1024, 9 * 1024 * 1024 + 1])('hashes %i bytes', async (length) => {
    const bytes = Buffer.alloc(length, 'image');

    const sha256 = await runInSlices(sha256Steps(bytes), stepClock(5), signal);

    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

function* steps(count: number, visit: (step: number) => void): Steps<void> {
  for (let step = 0; step < count; step += 1) {
    visit(step);
    yield;
  }
}

/** A clock on which every look costs so many milliseconds. */
function stepClock(stepMs: number): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => {
      nowMs += stepMs;
      return nowMs;
    },
    after: () => () => {},
  };
}
