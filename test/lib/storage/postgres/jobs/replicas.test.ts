import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { JOB_STATUSES } from '../../../../../lib/contract/resources/job.ts';
import type { JobAdmission, JobStore } from '../../../../../lib/jobs/job-store-port.ts';
import {
  CANCELLATION,
  editOf,
  FAILURE,
  newJob,
  succeeded,
  WIDE,
} from '../../../../support/jobs.ts';
import { HAS_POSTGRES } from '../../../../support/postgres.ts';
import { findMiscounts } from '../../../../support/postgres-counts.ts';
import { openPostgresForm } from '../../../../support/postgres-form.ts';
import { createSeeded } from '../../../../support/seeded.ts';

/** The end of a lease that no test outlives. */
const FUTURE_SECS = 10_000_000_000;

describe.runIf(HAS_POSTGRES)('createJobStore of two replicas', () => {
  let form: Awaited<ReturnType<typeof openPostgresForm>>;
  let one: JobStore;
  let two: JobStore;

  beforeEach(async () => {
    form = await openPostgresForm();
    one = form.stores.jobs;
    two = (await form.other(FUTURE_SECS)).jobs;
  });
  afterEach(() => form.close());

  /** Submits jobs to both replicas at the same time, and resolves with the number of accepted jobs and the refusals. */
  async function submitToBoth(jobs: number, admission: JobAdmission) {
    const outcomes = await Promise.allSettled(
      Array.from({ length: jobs }, (_, nth) =>
        (nth % 2 === 0 ? one : two).submit(newJob({ scope: `scope ${nth % 3}` }), admission),
      ),
    );
    const accepted = outcomes.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
    const refusals = outcomes.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []));
    return { accepted, refusals };
  }

  test('the limit of the queue is exact', async () => {
    const limit = { ...WIDE, isShared: false, maxPending: 9 };

    const { accepted, refusals } = await submitToBoth(60, limit);

    expect(accepted).toHaveLength(9);
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['overloaded']));
    expect(new Set(accepted.map(({ job }) => job.sequence)).size).toBe(9);
  });

  test('a job is accepted only while no other replica can have removed its images', async () => {
    const storedMs = (agoMs: number) => ({ ...WIDE, imagesStoredMs: Date.now() - agoMs });
    const image = { request: editOf(['a'.repeat(64)]) };

    await one.submit(newJob(image), storedMs(0));
    const stale = one.submit(newJob(image), storedMs(301_000));

    await expect(stale).rejects.toMatchObject({ code: 'overloaded' });
    expect((await one.totals()).byStatus).toMatchObject({ queued: 1 });
  });

  test('a repeated job is found although its images were stored long ago', async () => {
    const job = newJob({ request: editOf(['a'.repeat(64)]) });
    await one.submit(job, WIDE);

    const again = await two.submit(job, { ...WIDE, imagesStoredMs: 0 });

    expect(again.job.id).toBe(job.id);
  });

  test('the allowance of a token is exact', async () => {
    const reservation = { ...WIDE.reservation, token: 'alice', allowance: 11 };

    const { accepted, refusals } = await submitToBoth(40, { ...WIDE, reservation });

    expect(accepted).toHaveLength(11);
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['rate_limited']));
    expect(await form.stores.usage.charged(reservation)).toBe(11);
  });

  test('equal requests under a key are one job', async () => {
    const admission = { ...WIDE, key: { hash: 'k', fingerprint: 'f' } };

    const { accepted } = await submitToBoth(20, admission);

    expect(new Set(accepted.map(({ job }) => job.id)).size).toBe(1);
    expect(accepted.filter(({ repeated }) => !repeated)).toHaveLength(1);
  });

  test('each job is claimed by one replica, and scopes take turns', async () => {
    for (const scope of ['a', 'a', 'a', 'b', 'b', 'b']) await one.submit(newJob({ scope }), WIDE);

    const claims = await Promise.all([one, two, one, two].map((store) => store.claim(9)));

    const claimed = claims.map((job) => `${job?.scope} ${job?.sequence}`);
    expect(claimed.toSorted()).toEqual(['a 1', 'a 2', 'b 4', 'b 5']);
  });

  test('the limit of running jobs is exact', async () => {
    for (let job = 0; job < 9; job += 1) await one.submit(newJob(), WIDE);

    const claims = await Promise.all(
      [one, two, one, two, one, two].map((store) => store.claim(9, { maxRunning: 3 })),
    );

    expect(claims.filter((job) => job !== undefined)).toHaveLength(3);
  });

  test('claims and ends that a replica asks for at the same time are as exact as single ones', async () => {
    const scopes = ['a', 'b', 'a', 'c', 'a', 'b', 'a'];
    for (const scope of scopes) await one.submit(newJob({ scope }), WIDE);
    const claims = await Promise.all(Array.from({ length: 9 }, () => one.claim(9)));
    const jobs = claims.filter((job) => job !== undefined);
    const [first, second, third] = jobs;
    const publications = ['f'.repeat(32)];
    const end = { ...succeeded(), publications };

    const ends = await Promise.allSettled([
      one.settle(first?.sequence ?? 0, end),
      one.settle(second?.sequence ?? 0, succeeded()),
      two.settle(third?.sequence ?? 0, succeeded()),
      one.settle(third?.sequence ?? 0, succeeded()),
      one.settle(third?.sequence ?? 0, succeeded()),
    ]);

    expect(jobs.map(({ scope }) => scope).toSorted()).toEqual(scopes.toSorted());
    expect(ends.map((it) => (it.status === 'fulfilled' ? it.value : it.reason.code))).toEqual([
      'artifact',
      true,
      false,
      true,
      true,
    ]);
    expect(await findMiscounts(form.database)).toEqual([]);
  });

  test('a replica whose lease has ended claims nothing, and its late end is rejected', async () => {
    const { job } = await one.submit(newJob(), WIDE);
    await one.claim(9);
    await one.submit(newJob(), WIDE);
    await form.endLease();

    const claimed = await one.claim(9);
    const interrupted = await two.interruptAbandoned({ atSecs: 9, error: FAILURE });
    const settled = await one.settle(job.sequence, succeeded());

    expect([claimed, interrupted, settled]).toEqual([undefined, 1, false]);
    expect(await two.find(job.scope, job.id)).toMatchObject({ status: 'interrupted' });
  });

  test('the intent of a job is recorded once, however often the claim of its name is repeated', async () => {
    const { job } = await one.submit(newJob(), WIDE);
    await one.claim(9);
    const record = { id: '1'.repeat(32), scope: job.scope, createdSecs: 9, bytes: 8 };
    const facts = { format: 'png', width: 1, height: 1, sha256: 'ab'.repeat(32) } as const;
    const candidates = ['a.png', 'a-2.png'].map((name) => ({ ...record, ...facts, name }));
    const output = { job: job.sequence, facts: { index: 0, generation_ms: 7 } };
    const { artifacts } = form.stores;

    const claims = [
      await artifacts.claim(candidates, output),
      await artifacts.claim(candidates, output),
    ];
    const publications = [record.id];
    const end = { status: 'failed', completedSecs: 9, error: FAILURE, publications } as const;
    await one.settle(job.sequence, end);

    expect(claims.map((claimed) => claimed?.name)).toEqual(['a.png', 'a.png']);
    expect(await one.find(job.scope, job.id)).toMatchObject({
      partialResult: { data: [{ index: 0 }] },
    });
  });

  test('the counts are those of the rows after concurrent changes by both replicas', async () => {
    const { next, pick } = createSeeded(11);
    const known: { readonly scope: string; readonly id: string; readonly sequence: number }[] = [];
    const inputs = ['a1', 'b2', 'c3'].map((byte) => byte.repeat(32));

    async function change(store: JobStore): Promise<void> {
      const what = pick(['submit', 'submit', 'claim', 'claim', 'cancel', 'mark', 'hide', 'prune']);
      const job = known[next(known.length)];
      if (what === 'submit') {
        const sha256s = inputs.filter(() => next(5) < 2);
        const scope = pick(['x', 'y', 'z']);
        const sent = newJob({ scope, provider: pick(['p', 'q']), request: editOf(sha256s, 1000) });
        known.push((await store.submit(sent, WIDE)).job);
      } else if (what === 'claim') {
        const claimed = await store.claim(8);
        if (!claimed) return;
        const completedSecs = next(100);
        const failed = { status: 'failed', completedSecs, error: FAILURE } as const;
        await store.settle(claimed.sequence, pick([succeeded(completedSecs), failed]));
      } else if (what === 'prune') {
        const rule = { completedBeforeSecs: 5, maxRetained: 6, maxRetainedBytes: 9000, batch: 5 };
        await store.prune(rule);
      } else if (job && what === 'cancel') {
        const request = { atSecs: 9, error: CANCELLATION, inFlight: 'stop' } as const;
        await store.cancel(job.scope, job.id, request);
      } else if (job) {
        const marks = what === 'hide' ? { deleted: true } : { favorite: next(2) === 0 };
        await store
          .update(job.scope, job.id, { atSecs: 9, ...marks })
          .catch((error) => expect(error).toMatchObject({ code: 'job_not_terminal' }));
      }
    }

    async function changeMany(store: JobStore): Promise<void> {
      for (let nth = 0; nth < 40; nth += 1) await change(store);
    }

    await Promise.all([one, two, one, two].map(changeMany));

    expect(await findMiscounts(form.database)).toEqual([]);
    const { byStatus } = await one.totals();
    expect(byStatus.succeeded + byStatus.failed).toBeGreaterThan(0);
  });

  test('the changes of a scope have numbers without gaps, in the order of their commits', async () => {
    const seen: number[] = [];
    const submitting = submitToBoth(40, WIDE);
    const end = submitting.then(() => 'end' as const);
    for (let isOver = false; ; ) {
      const found = await two.changesAfter('scope 0', seen.at(-1) ?? 0, 100);
      seen.push(...found.map(({ change }) => change));
      if (isOver) break;
      isOver = (await Promise.race([end, two.totals()])) === 'end';
    }

    expect(seen).toEqual(Array.from({ length: 14 }, (_, nth) => nth + 1));
  });
});

describe.runIf(HAS_POSTGRES)('the tables of jobs', () => {
  let form: Awaited<ReturnType<typeof openPostgresForm>>;

  beforeEach(async () => {
    form = await openPostgresForm();
  });
  afterEach(() => form.close());

  function run(sql: (schema: string) => string, values: readonly unknown[]) {
    return form.database.write(({ rows }) => rows(sql(form.database.schema), values));
  }

  test('a job moves only between the states of the port', async () => {
    const { job } = await form.stores.jobs.submit(newJob(), WIDE);

    const outcomes = [];
    for (const status of JOB_STATUSES) {
      const [started, completed, errorCode, reserved] =
        status === 'queued'
          ? [null, null, null, 1]
          : status === 'running'
            ? [1, null, null, 1]
            : [1, 2, status === 'succeeded' ? null : 'internal', 0];
      const outcome = await run(
        (schema) => `
          WITH moved AS (
            UPDATE ${schema}.job
            SET status = $2, started = $3, completed = $4, error_code = $5, reserved = $6
            WHERE seq = $1 RETURNING 1
          )
          SELECT 1 / (count(*) - 1) FROM moved`,
        [job.sequence, status, started, completed, errorCode, reserved],
      ).catch((error) => error.cause);
      outcomes.push([status, outcome.code]);
    }

    // A permitted move is undone by a division by zero.
    expect(outcomes).toEqual([
      ['queued', '23514'],
      ['running', '22012'],
      ['succeeded', '23514'],
      ['failed', '23514'],
      ['cancelled', '22012'],
      ['interrupted', '23514'],
    ]);
  });

  test('the claim of an unreadable job ends the job as failed, and the next claim takes the next job', async () => {
    const { jobs } = form.stores;
    const { job: damaged } = await jobs.submit(newJob(), WIDE);
    const { job: valid } = await jobs.submit(newJob(), WIDE);
    await run(
      (schema) => `UPDATE ${schema}.job_content SET request = $2 WHERE seq = $1`,
      [damaged.sequence, 'no JSON'],
    );

    const ended = await jobs.claim(9);
    const claimed = await jobs.claim(9);

    const { id, scope, sequence } = damaged;
    expect(ended).toEqual({ id, scope, sequence });
    expect(claimed).toMatchObject({ id: valid.id, status: 'running' });
    const { items } = await jobs.list(scope, { visibility: 'all' }, { limit: 10 });
    expect(items.find((item) => item.id === id)).toMatchObject({
      status: 'failed',
      errorCode: 'internal',
      completedSecs: 9,
    });
    expect(await findMiscounts(form.database)).toEqual([]);
  });

  test('an unreadable job does not keep the other claims of its group', async () => {
    const { jobs } = form.stores;
    const sent = [];
    for (let nth = 0; nth < 4; nth += 1) sent.push((await jobs.submit(newJob(), WIDE)).job);
    await run(
      (schema) => `UPDATE ${schema}.job_content SET request = $2 WHERE seq = $1`,
      [sent[1]?.sequence, 'no JSON'],
    );

    const claims = await Promise.all(Array.from({ length: 5 }, () => jobs.claim(9)));

    expect(claims.map((job) => job?.id ?? '').toSorted()).toEqual(
      ['', ...sent.map(({ id }) => id)].toSorted(),
    );
    expect(await jobs.totals()).toMatchObject({ byStatus: { running: 3, failed: 1 } });
    expect(await findMiscounts(form.database)).toEqual([]);
  });

  test('a wrong count of queued jobs does not block the queue', async () => {
    await run((schema) => `INSERT INTO ${schema}.job_scope (scope, queued) VALUES ($1, 7)`, ['a']);
    const { job } = await form.stores.jobs.submit(newJob(), WIDE);

    expect((await form.stores.jobs.claim(1))?.id).toBe(job.id);
  });
});
