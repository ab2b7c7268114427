import { describe, expect, it } from 'vitest';
import { createRepeatedWrites } from '../../../../lib/storage/postgres/repeated-writes.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

describe('createRepeatedWrites', () => {
  function openRig(maxFailed?: number) {
    const clock = createManualClock();
    const repeatUntilDone = createRepeatedWrites(clock, maxFailed);
    const rig = { isAway: true, attempts: 0, done: [] as number[] };
    const writeAll = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, nth) =>
          repeatUntilDone(async () => {
            rig.attempts += 1;
            if (rig.isAway) throw new Error('away');
            rig.done.push(nth);
          }),
        ),
      );
    return { clock, rig, writeAll };
  }

  it('tries one of many failed writes each second, and all of them once the first succeeds', async () => {
    const { clock, rig, writeAll } = openRig();
    await writeAll(100);
    await clock.advance(5000);

    expect([rig.attempts, clock.waiting]).toEqual([105, 1]);
    rig.isAway = false;
    await clock.advance(1000);
    expect(rig.done).toHaveLength(100);
    expect(clock.waiting).toBe(0);
  });

  it('does not let a write that always fails block the other failed writes', async () => {
    const clock = createManualClock();
    const repeatUntilDone = createRepeatedWrites(clock);
    await repeatUntilDone(() => Promise.reject(new Error('always')));
    let isDone = false;
    let isAway = true;
    await repeatUntilDone(async () => {
      if (isAway) throw new Error('away');
      isDone = true;
    });
    isAway = false;
    await clock.advance(2000);

    expect(isDone).toBe(true);
  });

  it('forgets a failed write if too many failed writes wait', async () => {
    const { clock, rig, writeAll } = openRig(10);
    await writeAll(100);
    rig.isAway = false;
    await clock.advance(1000);

    expect(rig.done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
