import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { JOB_STATUSES, type JobStatus } from '../../../../../lib/contract/resources/job.ts';
import type { JobRecord, JobStore } from '../../../../../lib/jobs/job-store-port.ts';
import { createIds } from '../../../../../lib/platform/ids.ts';
import { createRequestHashes } from '../../../../../lib/replay/repeat-mark.ts';
import { IN_MEMORY } from '../../../../../lib/storage/sqlite/connection.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../../lib/storage/sqlite/database.ts';
import { findStateProblems } from '../../../../../lib/storage/sqlite/inspect-state.ts';
import { createJobStore } from '../../../../../lib/storage/sqlite/jobs/job-store.ts';
import { describeJobStore } from '../../../../contracts/job-store.ts';
import {
  CANCELLATION,
  editOf,
  jobRequest,
  newJob,
  succeeded,
  WIDE,
} from '../../../../support/jobs.ts';
import { SQLITE_FORMS } from '../../../../support/sqlite-forms.ts';

const ids = createIds(() => 0);

/** The end of a lease that no test outlives. */
const FUTURE_SECS = 10_000_000_000;

for (const [label, open] of SQLITE_FORMS) {
  describeJobStore(label, async () => {
    const { stores, other, close } = await open();
    await stores.lease.renew(FUTURE_SECS);
    return {
      store: stores.jobs,
      artifacts: stores.artifacts,
      ledger: stores.ledger,
      usage: stores.usage,
      other: async () => (await other(FUTURE_SECS)).jobs,
      endLease: () => stores.lease.renew(0),
      close,
    };
  });
}

/** The statuses that may follow each status. */
const TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled', 'interrupted'],
  succeeded: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

/** Retention that keeps nothing. */
const NOTHING = { completedBeforeSecs: 0, maxRetained: 0, maxRetainedBytes: 0 };

/** Changes the nth known job, or adds one. Steps that the state of the job does not allow change nothing. */
async function change(
  store: JobStore,
  known: JobRecord[],
  { what, nth, input }: { what: string; nth: number; input: number },
): Promise<void> {
  const job = known[nth];
  const images = input === 0 ? jobRequest() : editOf([`${input}`.repeat(64)]);
  const error = { ...CANCELLATION };
  if (what === 'submit') {
    const added = newJob({ scope: `scope ${nth % 2}`, request: images });
    known.push((await store.submit(added, WIDE)).job);
  } else if (what === 'claim') await store.claim(9);
  else if (what === 'prune') await store.prune({ ...NOTHING, maxRetained: nth, batch: 2 });
  else if (job === undefined) return;
  else if (what === 'cancel') {
    await store.cancel(job.scope, job.id, { atSecs: 9, error, inFlight: 'stop' });
  } else if (what === 'mark') {
    await store.update(job.scope, job.id, { atSecs: 9, favorite: input % 2 === 0 });
  } else if (what === 'hide') {
    await store.update(job.scope, job.id, { atSecs: 9, deleted: true }).catch(() => undefined);
  } else {
    const failed = { status: 'failed', completedSecs: 9, error } as const;
    await store.settle(job.sequence, input % 2 === 0 ? succeeded() : failed);
  }
}

describe('createJobStore', () => {
  let database: StateDatabase;
  let store: JobStore;

  beforeEach(() => {
    database = openStateDatabase({ file: IN_MEMORY, ids });
    store = createJobStore(database);
  });
  afterEach(() => database.close());

  /** Inserts a row with this status and valid values in all columns. */
  const insertRow = (status: string, columns: Readonly<Record<string, unknown>> = {}) => {
    const hasStarted = status !== 'queued';
    const hasEnded = status !== 'queued' && status !== 'running';
    const row: Record<string, unknown> = {
      ...{ id: `${status}-job`, scope: 's', status, created: 1, updated: 1 },
      started: hasStarted ? 1 : null,
      completed: hasEnded ? 2 : null,
      operation: 'generate',
      provider: 'sandbox',
      outputs: 1,
      bytes: 100,
      prompt: 'p',
      error_code: hasEnded && status !== 'succeeded' ? 'internal' : null,
      reserved: hasEnded ? 0 : 100,
      ...columns,
    };
    const names = Object.keys(row);
    const sql = `INSERT INTO job (${names}) VALUES (${names.map((name) => `@${name}`)})`;
    return database.prepare(sql).run(row);
  };

  test.each(JOB_STATUSES.flatMap((from) => JOB_STATUSES.map((to) => [from, to] as const)))(
    'the tables allow the transition from %s to %s exactly if the state table does',
    (from, to) => {
      insertRow(from);
      const target = { queued: [null, null, null, 100], running: [1, null, null, 100] };
      const [started, completed, errorCode, reserved] =
        to === 'queued' || to === 'running'
          ? target[to]
          : [1, 2, to === 'succeeded' ? null : 'internal', 0];
      const move = database.prepare(`
        UPDATE job SET status = ?, started = ?, completed = ?, error_code = ?, reserved = ?`);

      const run = () => move.run(to, started, completed, errorCode, reserved);

      if (TRANSITIONS[from].includes(to)) expect(run).not.toThrow();
      else expect(run).toThrow('no job moves on like this');
    },
  );

  test.each([
    ['an unknown status', 'paused', {}],
    ['a queued job that has started', 'queued', { started: 1 }],
    ['a running job that has not started', 'running', { started: null }],
    ['a running job that has completed', 'running', { completed: 2 }],
    ['a job that has ended without a time', 'succeeded', { completed: null }],
    ['a hidden job that has not ended', 'running', { deleted: 5 }],
    ['a success with an error', 'succeeded', { error_code: 'internal' }],
    ['a failure without an error', 'failed', { error_code: null }],
    ['a queued job without a reservation', 'queued', { reserved: 0 }],
    ['a reservation that outlives its job', 'failed', { reserved: 1 }],
    ['a mark that is no flag', 'queued', { favorite: 2 }],
  ])('the tables reject %s', (_, status, columns) => {
    expect(() => insertRow(status, columns)).toThrow(/constraint failed/);
  });

  test('the contents and inputs of a job are removed with it', async () => {
    const { job } = await store.submit(newJob({ request: editOf(['ab'.repeat(32)]) }), WIDE);

    database.prepare('DELETE FROM job WHERE seq = ?').run(job.sequence);

    expect(database.prepare('SELECT count(*) FROM job_content').pluck().get()).toBe(0);
    expect(await store.needsInput('ab'.repeat(32))).toBe(false);
  });

  test.each([
    ['conflict', 'session_busy'],
    ['invalid_request', 'refused_by_provider'],
    ['internal', 'internal'],
  ])(
    'an error that an earlier version stored with the reported code %s has the code %s',
    async (code, expected) => {
      const { job } = await store.submit(newJob(), WIDE);
      await store.claim(9);
      const end = { status: 'failed', completedSecs: 9, error: CANCELLATION } as const;
      await store.settle(job.sequence, end);
      const facts = { message: 'no', retryable: false, provider: 'sandbox', details: { a: 1 } };
      const text = JSON.stringify({ code, ...facts, suggestions: ['Old advice.'] });
      database.prepare('UPDATE job_content SET error = ?').run(text);

      const { error } = (await store.find(job.scope, job.id)) ?? {};

      expect(error).toEqual({ code: expected, ...facts });
    },
  );

  test('the claim of an unreadable job ends the job as failed, and the next claim takes the next job', async () => {
    const { job: damaged } = await store.submit(newJob(), WIDE);
    const { job: valid } = await store.submit(newJob(), WIDE);
    const damage = database.prepare('UPDATE job_content SET request = ? WHERE seq = ?');
    damage.run('no JSON', damaged.sequence);

    const ended = await store.claim(9);
    const claimed = await store.claim(9);

    const { id, scope, sequence } = damaged;
    expect(ended).toEqual({ id, scope, sequence });
    expect(claimed).toMatchObject({ id: valid.id, status: 'running' });
    const { items } = await store.list(damaged.scope, { visibility: 'all' }, { limit: 10 });
    expect(items.find(({ id }) => id === damaged.id)).toMatchObject({
      status: 'failed',
      errorCode: 'internal',
      completedSecs: 9,
    });
  });

  test.each([
    ['request', 'no JSON'],
    ['request', '{}'],
    ['result', '{"id":1}'],
  ])('a %s that was changed to %s is rejected when it is read', async (column, text) => {
    const { job } = await store.submit(newJob(), WIDE);
    await store.claim(1);
    await store.settle(job.sequence, succeeded());

    database.prepare(`UPDATE job_content SET ${column} = ?`).run(text);

    await expect(store.find(job.scope, job.id)).rejects.toThrow();
  });

  test('a job is kept when the limits are lowered after it was accepted', async () => {
    const request = jobRequest({ parameters: { ...jobRequest().parameters, n: 255 } });

    const { job } = await store.submit(newJob({ request }), WIDE);

    await expect(store.find(job.scope, job.id)).resolves.toMatchObject({ request });
  });

  test('a full disk rejects jobs, loses no accepted job, and accepts jobs again after space is freed', async () => {
    const limit = (pages: number) => database.prepare(`PRAGMA max_page_count = ${pages}`).get();
    const prompt = 'a lighthouse at dusk '.repeat(200);
    limit(200);

    const outcomes = [];
    for (let nth = 0; nth < 20; nth += 1) {
      const group = Array.from({ length: 10 }, () => newJob({ request: jobRequest({ prompt }) }));
      outcomes.push(...(await Promise.allSettled(group.map((job) => store.submit(job, WIDE)))));
    }
    limit(1_000_000);

    const accepted = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value.job] : [],
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(10);
    expect(refused).toMatchObject(
      refused.map(() => ({
        reason: { code: 'overloaded', details: { reason: 'state_store_full' } },
      })),
    );
    for (const job of accepted) expect(await store.find(job.scope, job.id)).toEqual(job);
    expect(accepted).toHaveLength((await store.totals()).byStatus.queued);
    expect(findStateProblems(database)).toEqual([]);
    await expect(store.submit(newJob(), WIDE)).resolves.toMatchObject({ repeated: false });
  });

  test('the counts are those of the rows after any sequence of changes', async () => {
    const step = fc.record({
      what: fc.constantFrom('submit', 'claim', 'settle', 'cancel', 'mark', 'hide', 'prune'),
      nth: fc.nat(5),
      input: fc.nat(3),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const own = openStateDatabase({ file: IN_MEMORY, ids });
      const jobs = createJobStore(own);
      const known: JobRecord[] = [];
      for (const { what, nth, input } of steps) await change(jobs, known, { what, nth, input });

      expect(findStateProblems(own)).toEqual([]);
      await own.close();
    });

    await fc.assert(property, { numRuns: 40 });
  });

  test('the files contain no byte of a key', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'job-store-'));
    const file = stateDatabaseFile(directory);
    const onDisk = openStateDatabase({ file, ids });
    const hash = createRequestHashes(onDisk.secret).ofJobKey('anonymous', 'order-4711');

    await createJobStore(onDisk).submit(newJob(), { ...WIDE, key: { hash, fingerprint: 'f' } });
    await onDisk.close();

    const bytes = await readFile(file);
    expect([bytes.includes('order-4711'), bytes.includes(hash)]).toEqual([false, true]);
    await rm(directory, { recursive: true });
  });

  test('removals of a scope are deleted when no reader may resume before them, and removals of other scopes are kept', async () => {
    const wait = database.prepare('UPDATE job_change SET change = change + ? WHERE scope = ?');
    const end = async (scope: string) => {
      await store.submit(newJob({ scope }), WIDE);
      await store.settle((await store.claim(1))?.sequence ?? 0, succeeded());
      await store.prune({ ...NOTHING, batch: 10 });
    };
    await end('one');
    await end('other');
    await store.submit(newJob({ scope: 'one' }), WIDE);
    wait.run(100_000, 'one');
    database
      .prepare('UPDATE job_change SET change = 1 WHERE scope = ? AND removed_id IS NOT NULL')
      .run('one');

    const before = await store.changesAfter('one', 0, 1);
    await end('one');
    const { latest, oldestToResume } = await store.changes('one');

    expect(before).toEqual([{ change: 1, removedId: expect.any(String) }]);
    const [next] = await store.changesAfter('one', 0, 1);
    expect(next?.change).toBeGreaterThan(oldestToResume);
    expect(latest - oldestToResume).toBe(100_000);
    expect(await store.changesAfter('other', 0, 1)).toMatchObject([
      { removedId: expect.any(String) },
    ]);
  });
});
