import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobRecord, JobStore } from '../../../../../lib/jobs/job-store-port.ts';
import { createJobMarks } from '../../../../../lib/storage/postgres/jobs/change-jobs.ts';
import { CANCELLATION, newJob, WIDE } from '../../../../support/jobs.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { findMiscounts } from '../../../../support/postgres-counts.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';

const CANCEL = { atSecs: 5, error: CANCELLATION, inFlight: 'stop' } as const;

describe.runIf(HAS_POSTGRES)('createGroupedChanges', () => {
  let form: Awaited<ReturnType<typeof openPostgresForm>>;
  let store: JobStore;

  beforeEach(async () => {
    form = await openPostgresForm();
    store = form.stores.jobs;
  });
  afterEach(() => form.close());

  async function submit(count: number, scope?: string): Promise<readonly JobRecord[]> {
    const job = () => newJob(scope === undefined ? {} : { scope });
    const added = await Promise.all(Array.from({ length: count }, () => store.submit(job(), WIDE)));
    return added.map((one) => one.job);
  }

  const statusesOf = async (jobs: readonly JobRecord[]) =>
    Promise.all(jobs.map(async ({ scope, id }) => (await store.find(scope, id))?.status));

  test('stores the changes that are requested at the same time in few transactions', async () => {
    const jobs = await submit(40);
    let writes = 0;
    const { update } = createJobMarks({
      ...form.database,
      write(work) {
        writes += 1;
        return form.database.write(work);
      },
    });

    const changed = await Promise.all(
      jobs.map(({ scope, id }) => update(scope, id, { atSecs: 5, priority: 7, labels: [id] })),
    );

    expect(writes).toBe(2);
    expect(changed.map((job) => [job?.id, job?.priority, job?.labels])).toEqual(
      jobs.map(({ id }) => [id, 7, [id]]),
    );
  });

  test('rejects only the change of a job that may not be changed', async () => {
    const [ended, queued, other] = await submit(3);
    if (!ended || !queued || !other) throw new Error('no job');
    await store.cancel(ended.scope, ended.id, CANCEL);
    const hide = { atSecs: 6, deleted: true };

    const outcomes = await Promise.allSettled([
      store.update(ended.scope, ended.id, hide),
      store.update(queued.scope, queued.id, hide),
      store.update('another scope', other.id, hide),
      store.update(other.scope, other.id, { atSecs: 6, favorite: true }),
    ]);

    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: { deletedSecs: 6 } },
      { status: 'rejected', reason: { code: 'job_not_terminal' } },
      { status: 'fulfilled', value: undefined },
      { status: 'fulfilled', value: { favorite: true } },
    ]);
    expect(await findMiscounts(form.database)).toEqual([]);
  });

  test('stores two changes of one job that are requested at the same time', async () => {
    const [job] = await submit(1);
    if (!job) throw new Error('no job');

    await Promise.all([
      store.update(job.scope, job.id, { atSecs: 6, favorite: true }),
      store.update(job.scope, job.id, { atSecs: 6, priority: 3 }),
    ]);

    expect(await store.find(job.scope, job.id)).toMatchObject({ favorite: true, priority: 3 });
  });

  test('cancels queued and running jobs of several scopes together, and counts each of them', async () => {
    const running = await submit(2, 'first');
    await store.claim(1);
    await store.claim(1);
    const queued = [...(await submit(3, 'second')), ...(await submit(3, 'first'))];
    const jobs = [...running, ...queued];

    const cancelled = await Promise.all(
      jobs.map(({ scope, id }, nth) =>
        store.cancel(scope, id, { ...CANCEL, isOnlyQueued: nth === 1 }),
      ),
    );

    expect(cancelled.map((job) => [job?.status, job?.cancelRequested])).toEqual([
      ['running', true],
      ['running', false],
      ...queued.map(() => ['cancelled', true]),
    ]);
    expect(await statusesOf(queued)).toEqual(queued.map(() => 'cancelled'));
    expect((await store.listCancellations()).map(({ id }) => id)).toEqual([running[0]?.id]);
    expect((await store.totals()).byStatus).toMatchObject({ running: 2, cancelled: 6, queued: 0 });
    expect(await findMiscounts(form.database)).toEqual([]);
  });

  test('gives the charges of jobs back that are cancelled together', async () => {
    const limited = (token: string) => ({
      ...WIDE,
      reservation: { ...WIDE.reservation, token, allowance: 2 },
    });
    const submitTwice = (token: string) =>
      Promise.all([1, 2].map(() => store.submit(newJob(), limited(token))));
    const added = [...(await submitTwice('alice')), ...(await submitTwice('bob'))];
    await expect(store.submit(newJob(), limited('bob'))).rejects.toMatchObject({
      code: 'rate_limited',
    });

    await Promise.all(added.map(({ job }) => store.cancel(job.scope, job.id, CANCEL)));

    expect([...(await submitTwice('alice')), ...(await submitTwice('bob'))]).toHaveLength(4);
  });
});
