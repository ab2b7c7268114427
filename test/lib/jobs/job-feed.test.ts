import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { shareReads } from '../../../lib/jobs/job-feed.ts';
import type { JobStore } from '../../../lib/jobs/job-store-port.ts';
import { createJobStreams } from '../../../lib/jobs/job-streams.ts';
import { createJobWaits } from '../../../lib/jobs/job-waits.ts';
import { IS_SCALED } from '../../support/drivers.ts';
import { createTestNotices } from '../../support/test-notices.ts';
import { type JobRig, openJobRig, refusal, SCOPE } from './job-rig.ts';
import { createStreamClient, readAll } from './stream-client.ts';

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
    const { jobQueue: queue } = rig;
    changesAfter = shareReads({ store, progress, queue }, notices.port).store.changesAfter;
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
    const failing = shareReads({ ...rig.stores, store, queue: rig.jobQueue }, notices.port).store;

    await expect(failing.changesAfter(SCOPE, 0, LIMIT)).rejects.toThrow();
    isBroken = false;

    expect(await failing.changesAfter(SCOPE, 0, LIMIT)).toEqual([]);
  });
});

describe('createJobStreams, the reads of its feeds', () => {
  const reads: string[] = [];

  /** Opens feeds whose reads of the store are counted. */
  async function openFeeds(count: number) {
    const counted = (['list', 'summaries', 'changesAfter'] as const).map((method) => [
      method,
      (...given: never[]) => {
        reads.push(method);
        return (rig.store[method] as (...args: never[]) => unknown)(...given);
      },
    ]);
    const store: JobStore = { ...rig.store, ...Object.fromEntries(counted) };
    const { notices, progress, secret } = rig.stores;
    const waits = createJobWaits({ store, notices, clock: rig.clock });
    const { jobQueue: queue, clock } = rig;
    const parts = { store, notices, progress, queue, waits, clock, secret };
    const { ofScope } = createJobStreams(parts);
    const opening = Array.from({ length: count }, async () =>
      readAll(await ofScope(createStreamClient().context)),
    );
    return Promise.all(opening);
  }

  test('a change and a progress are one read each for 64 readers', async () => {
    const { job } = await rig.submit();
    const feeds = await openFeeds(64);
    const untilEach = (count: number) => Promise.all(feeds.map((feed) => feed.until(count)));
    await untilEach(2);
    await rig.clock.advance(0);
    reads.length = 0;

    await rig.jobs.update(SCOPE, job.id, { favorite: true });
    await untilEach(3);
    rig.stores.progress.report(
      { id: job.id, scope: SCOPE, sequence: 1 },
      { progress: { stage: 'generating', partial_images: 0, finished_images: 0 } },
    );
    await untilEach(4);
    await rig.clock.advance(0);

    expect(new Set(reads)).toEqual(new Set(['changesAfter', 'summaries']));
    // Notices of PostgreSQL may arrive late, and each causes one more read for all readers.
    expect(reads.length).toBeLessThanOrEqual(IS_SCALED ? 8 : 2);
  });

  test('the active jobs and the missed changes are read in batches', async () => {
    await rig.close();
    rig = await openJobRig({ max_pending: 200 });
    for (let count = 0; count < 130; count += 1) await rig.submit();
    reads.length = 0;

    const [feed] = await openFeeds(1);
    await feed?.until(131);
    await rig.clock.advance(0);

    // Three pages of queued jobs, one page of running jobs, and no change since.
    await vi.waitFor(() => expect(reads).toEqual(['list', 'list', 'list', 'list', 'changesAfter']));
  });
});
