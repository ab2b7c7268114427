import { describe, expect, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createJobRetention } from '../../../lib/jobs/job-retention.ts';
import type { JobRetention } from '../../../lib/jobs/job-store-port.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { refusal } from './job-rig.ts';

const forever = new AbortController().signal;
const LIMITS = { retention_secs: 100, max_retained: 5, max_retained_bytes: 1000 };

/** Opens retention with a store that has this many jobs to remove. */
function openRetention(count: number, isShared = false) {
  const clock = createManualClock();
  const asked: JobRetention[] = [];
  const failures: Error[] = [];
  const inputs = { removed: [] as string[], sweeps: 0, failures: [] as Error[] };
  let left = count;
  const retention = createJobRetention({
    store: {
      async prune(wanted) {
        const failure = failures.shift();
        if (failure) throw failure;
        asked.push(wanted);
        const pruned = Math.min(left, wanted.batch);
        left -= pruned;
        const sequences = Array.from({ length: pruned }, (_, index) => left + index);
        return {
          removed: sequences,
          releasedInputs: sequences.map((nth) => `image ${nth}`),
          next:
            pruned < wanted.batch
              ? undefined
              : new Map([['one', { completedSecs: 7, sequence: left }]]),
        };
      },
    },
    inputs: {
      isShared,
      async removeUnneeded(sha256s) {
        const failure = inputs.failures.shift();
        if (failure) throw failure;
        inputs.removed.push(...sha256s);
      },
      async sweep() {
        inputs.sweeps += 1;
      },
    },
    clock,
    limits: LIMITS,
  });
  return { ...retention, clock, asked, failures, inputs };
}

describe('createJobRetention', () => {
  test.each([
    [0, 1],
    [31, 1],
    [32, 2],
    [100, 4],
  ])('a sweep removes %i jobs in %i small steps', async (count, steps) => {
    const { sweep, asked, inputs, clock } = openRetention(count);

    await sweep.run(forever);

    expect(asked).toHaveLength(steps);
    expect(asked[0]).toEqual({
      completedBeforeSecs: clock.nowMs() / 1000 - 100,
      maxRetained: 5,
      maxRetainedBytes: 1000,
      batch: 32,
    });
    expect(asked.slice(1).map(({ after }) => after?.get('one')?.completedSecs)).toEqual(
      Array(steps - 1).fill(7),
    );
    expect(inputs.removed).toHaveLength(count);
  });

  test('a sweep removes the images that only removed jobs used', async () => {
    const { sweep, inputs } = openRetention(40);

    await sweep.run(forever);

    expect(new Set(inputs.removed)).toEqual(
      new Set([...Array(40).keys()].map((nth) => `image ${nth}`)),
    );
  });

  test('leftover images are searched for once, and again after a failed removal', async () => {
    const { sweep, inputs } = openRetention(2);
    const failure = refusal();
    inputs.failures.push(failure);

    const sweeps = [];
    await expect(sweep.run(forever)).rejects.toBe(failure);
    sweeps.push(inputs.sweeps);
    await sweep.run(forever);
    sweeps.push(inputs.sweeps);
    await sweep.run(forever);
    sweeps.push(inputs.sweeps);

    expect(sweeps).toEqual([0, 1, 1]);
  });

  test.each([
    ['once if only this process uses the images', false, [1, 1, 1, 1]],
    ['every hour if several processes use the images', true, [1, 1, 2, 3]],
  ])('unneeded images are looked for %s', async (_, isShared, expected) => {
    const { sweep, inputs, clock } = openRetention(0, isShared);

    const sweeps = [];
    for (const minutes of [0, 59, 1, 60]) {
      await clock.advance(minutes * 60_000);
      await sweep.run(forever);
      sweeps.push(inputs.sweeps);
    }

    expect(sweeps).toEqual(expected);
  });

  test('a sweep stops between two steps', async () => {
    const { sweep, asked } = openRetention(1000);

    await sweep.run(AbortSignal.abort());

    expect(asked).toEqual([]);
  });

  test.each([
    ['unhealthy after a damaged page', new BridgeError('internal', 'damaged'), false],
    ['healthy after a store that rejects writes', refusal(), true],
  ])(
    'retention is %s, and healthy after the next successful sweep',
    async (_, failure, expected) => {
      const { sweep, failures, isHealthy } = openRetention(0);
      failures.push(failure);

      await expect(sweep.run(forever)).rejects.toBe(failure);
      const after = isHealthy();
      await sweep.run(forever);

      expect([after, isHealthy()]).toEqual([expected, true]);
    },
  );
});
