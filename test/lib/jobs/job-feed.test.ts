import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { shareReads } from '../../../lib/jobs/job-feed.ts';
import type { JobStore } from '../../../lib/jobs/job-store-port.ts';
import { createTestNotices } from '../../support/test-notices.ts';
import { type JobRig, openJobRig, refusal, SCOPE } from './job-rig.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

describe('shareReads', () => {
  const LIMIT = 10;
  let reads: number;
  let notices: ReturnType<typeof createTestNotices>;
  let changesAfter: JobStore['changesAfter'];

  beforeEach(() => {
    reads = 0;
    notices = createTestNotices();
    const store: JobStore = {
      ...rig.store,
      changesAfter(...given) {
        reads += 1;
        return rig.store.changesAfter(...given);
      },
    };
    const { progress } = rig.stores;
    changesAfter = shareReads({ store, progress }, notices.port).store.changesAfter;
  });

  test('readers at the same position share a read in flight', async () => {
    const { job } = await rig.submit();

    const found = await Promise.all([0, 0, 0, 1].map((it) => changesAfter(SCOPE, it, LIMIT)));
    await changesAfter('another scope', 0, LIMIT);

    expect(reads).toBe(3);
    expect(found.slice(0, 3)).toEqual(Array(3).fill([{ change: 1, job: expect.anything() }]));
    expect(found[0]).toMatchObject([{ job: { id: job.id } }]);
    expect(found[3]).toEqual([]);
  });

  test('an ended read is not shared, because another process may have changed a job since', async () => {
    expect(await changesAfter(SCOPE, 0, LIMIT)).toEqual([]);
    const { job } = await rig.submit();

    expect(await changesAfter(SCOPE, 0, LIMIT)).toMatchObject([{ job: { id: job.id } }]);
  });

  test('a read that began before a notice is not shared with readers that received the notice', async () => {
    const before = changesAfter(SCOPE, 0, LIMIT);
    notices.publish({ type: 'changed', scope: SCOPE });

    await Promise.all([before, changesAfter(SCOPE, 0, LIMIT)]);

    expect(reads).toBe(2);
  });

  test('a failed read is not shared with later readers', async () => {
    let isBroken = true;
    const store: JobStore = {
      ...rig.store,
      changesAfter: (...given) =>
        isBroken ? Promise.reject(refusal()) : rig.store.changesAfter(...given),
    };
    const failing = shareReads({ ...rig.stores, store }, notices.port).store;

    await expect(failing.changesAfter(SCOPE, 0, LIMIT)).rejects.toThrow();
    isBroken = false;

    expect(await failing.changesAfter(SCOPE, 0, LIMIT)).toEqual([]);
  });
});
