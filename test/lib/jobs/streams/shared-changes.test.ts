import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobStore } from '../../../../lib/jobs/job-store-port.ts';
import { createSharedChanges } from '../../../../lib/jobs/streams/shared-changes.ts';
import { type JobRig, openJobRig, refusal, SCOPE } from '../job-rig.ts';

let rig: JobRig;
let reads: number;
let nextChange: JobStore['nextChange'];

beforeEach(() => {
  rig = openJobRig();
  reads = 0;
  const counting: Pick<JobStore, 'nextChange'> = {
    nextChange(scope, after) {
      reads += 1;
      return rig.store.nextChange(scope, after);
    },
  };
  nextChange = createSharedChanges(counting, rig.notices);
});
afterEach(() => rig.close());

describe('createSharedChanges', () => {
  test('readers at the same position share one read, those elsewhere do not', async () => {
    const { job } = await rig.submit();
    reads = 0;

    const found = await Promise.all([0, 0, 0, 1].map((after) => nextChange(SCOPE, after)));
    await nextChange('another scope', 0);

    expect(reads).toBe(3);
    expect(found.slice(0, 3)).toEqual(Array(3).fill({ change: 1, job: expect.anything() }));
    expect(found[0]).toMatchObject({ job: { id: job.id } });
    expect(found[3]).toBeUndefined();
  });

  test('a change is found by a read after its notice, whatever was read before', async () => {
    expect(await nextChange(SCOPE, 0)).toBeUndefined();

    const { job } = await rig.submit();

    expect(await nextChange(SCOPE, 0)).toMatchObject({ job: { id: job.id, status: 'queued' } });
    await rig.jobs.cancel(SCOPE, job.id);
    expect(await nextChange(SCOPE, 1)).toMatchObject({ job: { status: 'cancelled' } });
  });

  test('a read that failed is not shared with those who come later', async () => {
    let isBroken = true;
    const failing = createSharedChanges(
      {
        nextChange: (scope, after) =>
          isBroken ? Promise.reject(refusal()) : rig.store.nextChange(scope, after),
      },
      rig.notices,
    );

    await expect(failing(SCOPE, 0)).rejects.toThrow();
    isBroken = false;

    expect(await failing(SCOPE, 0)).toBeUndefined();
  });
});
