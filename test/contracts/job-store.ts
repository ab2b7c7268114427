import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactStore, JobOutput } from '../../lib/artifacts/artifact-store-port.ts';
import type { ArtifactImage } from '../../lib/contract/reply/image-response.ts';
import type { Provenance } from '../../lib/contract/reply/provenance.ts';
import { CROP_MODEL, OWN_PROVIDER } from '../../lib/contract/request/own-work.ts';
import { JOB_STATUSES, type JobStatus } from '../../lib/contract/resources/job.ts';
import { type LedgerStore, NO_COUNTS } from '../../lib/generation/ledger/ledger-store-port.ts';
import type {
  JobChange,
  JobEnd,
  JobFilter,
  JobRecord,
  JobRetention,
  JobStore,
  NewJob,
} from '../../lib/jobs/job-store-port.ts';
import type { UsageStore } from '../../lib/usage/usage-store-port.ts';
import {
  CANCELLATION,
  CREATED_SECS,
  editOf,
  FAILURE,
  jobRequest,
  jobResult,
  newJob,
  succeeded,
  WIDE,
} from '../support/jobs.ts';

interface Opened {
  readonly store: JobStore;
  /** The artifacts of the jobs of this store. */
  readonly artifacts: ArtifactStore;
  /** The accounts of the jobs of this store, and what has been counted. */
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  /** Opens the same jobs for another process. */
  other(): Promise<JobStore>;
  /** Ends the lease of this process, as if the process had ended. */
  endLease(): Promise<void>;
  close(): Promise<void>;
}

const LATER = CREATED_SECS + 100;
const KEEP_ALL: JobRetention = {
  completedBeforeSecs: 0,
  maxRetained: 1e6,
  maxRetainedBytes: 1e12,
  batch: 100,
};
const ALL = { visibility: 'all' } as const;
const ONE_INPUT = 'a1'.repeat(32);
const OTHER_INPUT = 'b2'.repeat(32);

/** The contract of every job store. */
export function describeJobStore(label: string, open: () => Promise<Opened>): void {
  describe(`JobStore: ${label}`, () => {
    let store: JobStore;
    let artifacts: ArtifactStore;
    let ledger: LedgerStore;
    let usage: UsageStore;
    let other: Opened['other'];
    let endLease: Opened['endLease'];
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ store, artifacts, ledger, usage, other, endLease, close } = await open());
    });
    afterEach(() => close());

    async function submitted(
      overrides: Partial<NewJob> = {},
      admission = WIDE,
    ): Promise<JobRecord> {
      return (await store.submit(newJob(overrides), admission)).job;
    }

    async function running(overrides: Partial<NewJob> = {}, admission = WIDE): Promise<JobRecord> {
      await submitted(overrides, admission);
      const job = await store.claim(CREATED_SECS + 1);
      if (!job?.request) throw new Error('nothing was claimed');
      return job;
    }

    async function ended(overrides: Partial<NewJob> = {}, completedSecs?: number) {
      const { sequence, scope, id } = await running(overrides);
      await store.settle(sequence, succeeded(completedSecs));
      return read(scope, id);
    }

    async function inStatus(status: JobStatus): Promise<JobRecord> {
      if (status === 'queued') return submitted();
      if (status === 'succeeded') return ended();
      const job = await running();
      if (status === 'running') return job;
      await store.settle(job.sequence, { status, completedSecs: LATER, error: FAILURE });
      return read(job.scope, job.id);
    }

    async function read(scope: string, id: string): Promise<JobRecord> {
      const job = await store.find(scope, id);
      if (!job) throw new Error('the job is unknown');
      return job;
    }

    async function pendingArtifact(id: string, output?: JobOutput): Promise<string> {
      const record = {
        id,
        scope: 'anonymous',
        width: 640,
        height: 480,
        bytes: 1234,
        format: 'png' as const,
        sha256: 'ab'.repeat(32),
        createdSecs: CREATED_SECS,
        name: `${id}.png`,
      };
      await artifacts.claim([record], output);
      return id;
    }

    test('a list by size has the jobs whose first image has the size, also if they requested another', async () => {
      const publications = [await pendingArtifact('a'.repeat(32))];
      const { sequence } = await running({ size: 'auto' });
      const result = jobResult(publications);
      await store.settle(sequence, {
        status: 'succeeded',
        completedSecs: LATER,
        result,
        publications,
      });
      const waiting = await submitted({ size: '1280x960' });

      const listed = async (size: NonNullable<JobFilter['size']>) => {
        const { items } = await store.list('anonymous', { ...ALL, size }, { limit: 10 });
        return items.map((job) => job.sequence);
      };

      expect(await listed({ kind: 'pixels', width: 640, height: 480 })).toEqual([sequence]);
      expect(await listed({ kind: 'ratio', width: 4, height: 3 })).toEqual([
        waiting.sequence,
        sequence,
      ]);
      expect(await listed({ kind: 'ratio', width: 3, height: 4 })).toEqual([]);
      expect(await listed({ kind: 'auto' })).toEqual([sequence]);
    });

    describe('changesAfter', () => {
      const changesAfter = (after: number, scope = 'anonymous') =>
        store.changesAfter(scope, after, 100);

      const shown = (changes: readonly JobChange[]) =>
        changes.map((one) =>
          'job' in one ? [one.change, one.job.id, one.job.status] : [one.change, one.removedId],
        );

      test('each change of a job replaces its previous change', async () => {
        const [one, two] = [await submitted(), await submitted()];
        const before = shown(await changesAfter(0));
        await store.claim(LATER);
        await store.cancel('anonymous', one.id, {
          atSecs: LATER,
          error: CANCELLATION,
          inFlight: 'stop',
        });
        await store.settle(one.sequence, {
          status: 'cancelled',
          completedSecs: LATER,
          error: CANCELLATION,
        });
        await store.cancel('anonymous', two.id, {
          atSecs: LATER,
          error: CANCELLATION,
          inFlight: 'stop',
        });
        await store.update('anonymous', one.id, { atSecs: LATER, favorite: true });

        const changes = await changesAfter(0);

        expect(before).toEqual([
          [1, one.id, 'queued'],
          [2, two.id, 'queued'],
        ]);
        expect(changes.map((one) => 'job' in one && [one.job.id, one.job.favorite])).toEqual([
          [two.id, false],
          [one.id, true],
        ]);
        expect(await changesAfter(changes[0]?.change ?? 0)).toEqual(changes.slice(1));
        expect((await store.changes('anonymous')).latest).toBe(changes.at(-1)?.change);
      });

      test('a start, a request to cancel, an end, a mark and a removal are one change each', async () => {
        const { id, scope, sequence } = await submitted();
        const latest = async () => (await store.changes(scope)).latest;
        const steps = [await latest()];
        await store.claim(LATER);
        steps.push(await latest());
        await store.cancel(scope, id, { atSecs: LATER, error: CANCELLATION, inFlight: 'stop' });
        steps.push(await latest());
        const end = { status: 'cancelled', completedSecs: LATER, error: CANCELLATION } as const;
        await store.settle(sequence, end);
        steps.push(await latest());
        await store.update(scope, id, { atSecs: LATER, deleted: true });
        steps.push(await latest());
        await store.prune({ ...KEEP_ALL, maxRetained: 0 });
        steps.push(await latest());

        expect(steps).toEqual([1, 2, 3, 4, 5, 6]);
      });

      test('a retry changes the earlier job too, and only the earlier job of its scope', async () => {
        const first = await inStatus('cancelled');
        const { latest } = await store.changes('anonymous');

        const [foreign, retry] = await Promise.all([
          submitted({ scope: 'other', retryOf: first.id }),
          submitted({ retryOf: first.id }),
        ]);

        expect(shown(await changesAfter(latest))).toEqual([
          [latest + 1, retry.id, 'queued'],
          [latest + 2, first.id, 'cancelled'],
        ]);
        expect(shown(await changesAfter(0, 'other'))).toEqual([[1, foreign.id, 'queued']]);
      });

      test('an update that changes nothing does not count as a change', async () => {
        const job = await ended();
        const { latest } = await store.changes('anonymous');

        await store.update('anonymous', job.id, { atSecs: LATER, favorite: false });
        await store.cancel('anonymous', job.id, {
          atSecs: LATER,
          error: CANCELLATION,
          inFlight: 'stop',
        });

        expect((await store.changes('anonymous')).latest).toBe(latest);
      });

      test('a read returns the first changes up to its limit', async () => {
        for (let count = 0; count < 3; count += 1) await submitted();

        const changes = await store.changesAfter('anonymous', 1, 1);

        expect(changes).toEqual((await changesAfter(0)).slice(1, 2));
        expect(await store.changesAfter('anonymous', 1, 2)).toHaveLength(2);
      });

      test('each scope has its own changes', async () => {
        await submitted();
        const other = await submitted({ scope: 'other' });

        expect(shown(await changesAfter(0, 'other'))).toEqual([[1, other.id, 'queued']]);
        expect(await store.changes('third')).toEqual({ latest: 0, oldestToResume: 0 });
      });

      test('interrupting an abandoned job counts as a change', async () => {
        const job = await running();
        const { latest } = await store.changes('anonymous');
        const next = await other();
        await endLease();

        await next.interruptAbandoned({ atSecs: LATER, error: FAILURE });

        expect(shown(await changesAfter(latest))).toEqual([[latest + 1, job.id, 'interrupted']]);
      });

      test('a removed job is a change, and its number is not used again', async () => {
        const job = await ended();
        const { latest } = await store.changes('anonymous');

        await store.prune({ ...KEEP_ALL, maxRetained: 0 });
        const next = await submitted();

        expect(shown(await changesAfter(latest))).toEqual([
          [latest + 1, job.id],
          [latest + 2, next.id, 'queued'],
        ]);
        expect(await changesAfter(0)).toHaveLength(2);
      });
    });

    describe('listActive', () => {
      test('queued and running jobs of all scopes are active', async () => {
        const [over, run] = [await ended(), await running({ scope: 'other' })];
        const waiting = await submitted();

        const ids = [over.id, run.id, 'unknown', waiting.id];

        expect(await store.listActive(ids)).toHaveLength(2);
        expect(await store.listActive(ids)).toEqual(expect.arrayContaining([run.id, waiting.id]));
        expect(await store.listActive([])).toEqual([]);
      });
    });

    describe('submit', () => {
      test('a job is queued with the fields it was submitted with', async () => {
        const sent = newJob({ request: jobRequest({ metadata: { shelf: '7' } }) });

        const { job, repeated } = await store.submit(sent, WIDE);

        expect(repeated).toBe(false);
        expect(job).toEqual({
          sequence: 1,
          id: sent.id,
          token: '',
          scope: 'anonymous',
          status: 'queued',
          priority: 0,
          createdSecs: CREATED_SECS,
          updatedSecs: CREATED_SECS,
          cancelRequested: false,
          labels: [],
          favorite: false,
          parents: [],
          requestId: sent.requestId,
          provider: sent.provider,
          request: sent.request,
        });
        expect(await store.find('anonymous', sent.id)).toEqual(job);
      });

      test('a job keeps its priority and the id of the job that it retries', async () => {
        const first = await submitted();

        const job = await submitted({ priority: -7, retryOf: first.id });

        expect(job).toMatchObject({ priority: -7, retryOf: first.id });
        expect(await store.find('anonymous', job.id)).toEqual(job);
        const { items } = await store.list('anonymous', ALL, { limit: 1 });
        expect(items).toMatchObject([{ priority: -7 }]);
      });

      test('a job that ended without success names its newest retry in every form', async () => {
        const first = await inStatus('cancelled');
        const summaries = async () => {
          const { items } = await store.list('anonymous', ALL, { limit: 9 });
          const [found] = await store.summaries('anonymous', [first.sequence]);
          const changes = await store.changesAfter('anonymous', 0, 9);
          const changed = changes.flatMap((one) => ('job' in one ? [one.job] : []));
          return [items, [found], changed].map((jobs) => jobs.find((job) => job?.id === first.id));
        };
        const before = [await read('anonymous', first.id), ...(await summaries())];

        const retries = [
          await submitted({ retryOf: first.id }),
          await submitted({ retryOf: first.id }),
        ];
        await submitted({ scope: 'other', retryOf: first.id });

        const after = [await read('anonymous', first.id), ...(await summaries())];
        expect(before.map((job) => job?.retriedAs)).toEqual(Array(4).fill(undefined));
        expect(after.map((job) => job?.retriedAs)).toEqual(Array(4).fill(retries[1]?.id));
        expect(after[0]).toEqual({ ...first, retriedAs: retries[1]?.id });
      });

      test('two retries of one job that are accepted together are both changes', async () => {
        const first = await inStatus('failed');

        const retries = await Promise.all([
          submitted({ retryOf: first.id }),
          submitted({ retryOf: first.id }),
        ]);

        const newest = retries.toSorted((a, b) => b.sequence - a.sequence)[0];
        expect(await read('anonymous', first.id)).toMatchObject({ retriedAs: newest?.id });
        const changes = await store.changesAfter('anonymous', 0, 9);
        const ids = changes.map((one) => 'job' in one && one.job.id);
        expect(ids.toSorted()).toEqual([first, ...retries].map(({ id }) => id).toSorted());
        expect(ids.at(-1)).toBe(first.id);
      });

      test('a job names no retry that was removed', async () => {
        const first = await inStatus('failed');
        const kept = await submitted({ retryOf: first.id });
        const retry = await ended({ retryOf: first.id, priority: 1 });
        await store.update('anonymous', first.id, { atSecs: LATER, favorite: true });
        const before = await read('anonymous', first.id);

        await store.prune({ ...KEEP_ALL, maxRetained: 0 });

        expect(before.retriedAs).toBe(retry.id);
        expect((await read('anonymous', first.id)).retriedAs).toBe(kept.id);
      });

      test('a job without a model has none in the lists', async () => {
        const { model: _, ...rest } = newJob();

        await store.submit(rest, WIDE);

        const { items } = await store.list('anonymous', ALL, { limit: 1 });
        expect(items[0]).not.toHaveProperty('model');
      });

      test('jobs are numbered in the order of acceptance, across scopes', async () => {
        const jobs = await Promise.all(['one', 'two', 'one'].map((scope) => submitted({ scope })));

        expect(jobs.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
      });

      test('the number of a removed job is not used again', async () => {
        await ended();
        await store.prune({ ...KEEP_ALL, maxRetained: 0 });

        const { sequence } = await submitted();

        expect(sequence).toBe(2);
      });

      test('an equal request under a key resolves with the current job', async () => {
        const admission = { ...WIDE, key: { hash: 'k', fingerprint: 'f' } };
        const { job: first } = await store.submit(newJob(), admission);
        await store.claim(LATER);

        const reply = await store.submit(newJob(), admission);

        expect(reply).toEqual({
          repeated: true,
          job: { ...first, status: 'running', startedSecs: LATER, updatedSecs: LATER },
        });
        expect((await store.totals()).byStatus.queued).toBe(0);
      });

      test('an equal request under a key resolves with the job after its end', async () => {
        const admission = { ...WIDE, key: { hash: 'k', fingerprint: 'f' } };
        const { job } = await store.submit(newJob(), admission);
        await store.claim(LATER);
        await store.settle(job.sequence, succeeded());

        const reply = await store.submit(newJob(), admission);

        expect(reply).toMatchObject({ repeated: true, job: { id: job.id, status: 'succeeded' } });
        expect((await store.totals()).byStatus.queued).toBe(0);
      });

      test('concurrent equal requests under one key create one job', async () => {
        const admission = { ...WIDE, key: { hash: 'k', fingerprint: 'f' } };

        const replies = await Promise.all(
          Array.from({ length: 20 }, () => store.submit(newJob(), admission)),
        );

        expect(new Set(replies.map(({ job }) => job.id)).size).toBe(1);
        expect(replies.filter(({ repeated }) => !repeated)).toHaveLength(1);
      });

      test('a submission of an accepted job adds nothing and resolves as the first submission', async () => {
        const sent = newJob();
        const { job: first } = await store.submit(sent, { ...WIDE, maxPending: 1 });
        const before = await store.totals();

        const reply = await store.submit(sent, { ...WIDE, maxPending: 1 });

        expect(reply).toEqual({ job: first, repeated: false });
        expect(await store.totals()).toEqual(before);
      });

      test('concurrent submissions of one job with a key create one job', async () => {
        const sent = newJob();
        const admission = { ...WIDE, key: { hash: 'k', fingerprint: 'f' } };

        const replies = await Promise.all(
          Array.from({ length: 5 }, () => store.submit(sent, admission)),
        );

        expect(replies).toEqual(
          replies.map(() => ({
            job: expect.objectContaining({ id: sent.id, sequence: 1 }),
            repeated: false,
          })),
        );
        expect((await store.totals()).byStatus.queued).toBe(1);
      });

      test('a different request under a key is a conflict', async () => {
        await store.submit(newJob(), { ...WIDE, key: { hash: 'k', fingerprint: 'f' } });

        const second = store.submit(newJob(), { ...WIDE, key: { hash: 'k', fingerprint: 'g' } });

        await expect(second).rejects.toMatchObject({ code: 'idempotency_conflict' });
        expect((await store.totals()).byStatus.queued).toBe(1);
      });

      test('a repeated request resolves with its job when the queue is full', async () => {
        const admission = { ...WIDE, maxPending: 1, key: { hash: 'k', fingerprint: 'f' } };
        await store.submit(newJob(), admission);

        const { repeated } = await store.submit(newJob(), admission);

        expect(repeated).toBe(true);
      });

      test('a key can be used again after its job was removed', async () => {
        const admission = { ...WIDE, key: { hash: 'k', fingerprint: 'f' } };
        const { job } = await store.submit(newJob(), admission);
        await store.claim(LATER);
        await store.settle(job.sequence, succeeded());
        await store.prune({ ...KEEP_ALL, maxRetained: 0 });

        const { repeated } = await store.submit(newJob(), admission);

        expect(repeated).toBe(false);
      });

      test('the queue accepts no more jobs than its limit, also from concurrent callers', async () => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 10 }, () => store.submit(newJob(), { ...WIDE, maxPending: 4 })),
        );

        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
        expect(outcomes.at(-1)).toMatchObject({
          reason: {
            code: 'overloaded',
            details: { reason: 'jobs_full', limit: 'server.jobs.max_pending' },
          },
        });
      });

      test('a running job frees its slot in the queue', async () => {
        await store.submit(newJob(), { ...WIDE, maxPending: 1 });
        await store.claim(LATER);

        const second = store.submit(newJob(), { ...WIDE, maxPending: 1 });

        await expect(second).resolves.toMatchObject({ repeated: false });
      });

      test('the budget counts stored and reserved bytes', async () => {
        await submitted({ reservedBytes: 50_000 });
        const { logicalBytes, reservedBytes } = await store.totals();
        const each = logicalBytes + reservedBytes;
        const second = newJob({ reservedBytes: 50_000 });

        const refused = store.submit(second, { ...WIDE, maxDatabaseBytes: 2 * each - 1 });

        await expect(refused).rejects.toMatchObject({
          code: 'overloaded',
          details: { limit: 'server.jobs.max_database_bytes' },
        });
        await expect(
          store.submit(second, { ...WIDE, maxDatabaseBytes: 2.5 * each }),
        ).resolves.toMatchObject({ repeated: false });
      });
    });

    describe('shares', () => {
      const share = (limit: string) => ({
        code: 'rate_limited',
        details: { reason: 'share', limit, retry_after_ms: expect.any(Number) },
      });
      const pending = 'server.jobs.max_pending';
      const QUEUE = { ...WIDE, maxPending: 20 };

      async function fill(scope: string, jobs: number) {
        for (let nth = 0; nth < jobs; nth += 1) await store.submit(newJob({ scope }), QUEUE);
      }

      test('a scope may fill the queue except for the last tenth', async () => {
        await fill('busy', 18);

        const outcomes = await Promise.allSettled([
          store.submit(newJob({ scope: 'busy' }), QUEUE),
          store.refuseWhenFull('busy', QUEUE, undefined),
          store.submit(newJob({ scope: 'quiet' }), QUEUE),
        ]);

        expect(outcomes).toMatchObject([
          { reason: share(pending) },
          { reason: share(pending) },
          { value: { repeated: false } },
        ]);
      });

      test('a full queue rejects scopes below their share too', async () => {
        await fill('busy', 18);
        await fill('quiet', 2);

        const refused = store.submit(newJob({ scope: 'third' }), QUEUE);

        await expect(refused).rejects.toMatchObject({
          code: 'overloaded',
          details: { reason: 'jobs_full', limit: pending },
        });
      });

      test('a scope that reaches its equal share is rejected like the others', async () => {
        await fill('one', 6);
        await fill('two', 6);
        await fill('three', 6);

        const beyond = store.submit(newJob({ scope: 'one' }), { ...WIDE, maxPending: 19 });

        await expect(beyond).rejects.toMatchObject(share(pending));
      });

      test('running and ended jobs do not count towards the limit of the queue', async () => {
        await fill('busy', 18);
        await store.claim(LATER);

        await expect(store.submit(newJob({ scope: 'busy' }), QUEUE)).resolves.toMatchObject({
          repeated: false,
        });
      });

      test('the last tenth of the database is kept for scopes that hold less than their share', async () => {
        await submitted({ scope: 'busy', reservedBytes: 90_000 });
        const { logicalBytes, reservedBytes } = await store.totals();
        const limits = { ...WIDE, maxDatabaseBytes: logicalBytes + reservedBytes + 9000 };

        const [busy, quiet] = await Promise.allSettled([
          store.submit(newJob({ scope: 'busy', reservedBytes: 1 }), limits),
          store.submit(newJob({ scope: 'quiet', reservedBytes: 1 }), limits),
        ]);

        expect(busy).toMatchObject({ reason: share('server.jobs.max_database_bytes') });
        expect(quiet).toMatchObject({ value: { repeated: false } });
      });
    });

    describe('claim', () => {
      /** Resolves with the scopes of the next claims. */
      async function claimedScopes(claims: number) {
        const scopes: (string | undefined)[] = [];
        for (let nth = 0; nth < claims; nth += 1) scopes.push((await store.claim(LATER))?.scope);
        return scopes;
      }

      async function queue(scope: string, jobs: number, priority = 0) {
        for (let nth = 0; nth < jobs; nth += 1) await submitted({ scope, priority });
      }

      test('scopes take turns independently of the priorities of their jobs', async () => {
        await queue('hostile', 4, 100);
        await queue('quiet', 2, -100);
        await queue('third', 1);

        expect(await claimedScopes(8)).toEqual([
          ...['hostile', 'quiet', 'third', 'hostile', 'quiet', 'hostile', 'hostile'],
          undefined,
        ]);
      });

      test('a scope that joins waiting scopes has its turn after one job of each', async () => {
        await queue('one', 5);
        await queue('two', 5);
        const before = await claimedScopes(3);

        await queue('late', 2);

        expect(before).toEqual(['one', 'two', 'one']);
        expect(await claimedScopes(5)).toEqual(['two', 'late', 'one', 'two', 'late']);
      });

      test('a long idle scope gets no more than its turn', async () => {
        await queue('idle', 1);
        await claimedScopes(1);
        await queue('busy', 8);
        await claimedScopes(4);

        await queue('idle', 4);

        expect(await claimedScopes(6)).toEqual(['busy', 'idle', 'busy', 'idle', 'busy', 'idle']);
      });

      test('a scope that queues its next job once the last one is claimed gets no more than its turn', async () => {
        await queue('busy', 6);
        const claimed = [];
        for (let nth = 0; nth < 3; nth += 1) {
          await queue('single', 1);
          claimed.push(...(await claimedScopes(2)));
        }

        expect(claimed.filter((scope) => scope === 'busy')).toHaveLength(3);
      });

      test('the turns of scopes are kept after the process has ended', async () => {
        await queue('one', 3);
        await queue('two', 3);
        await claimedScopes(1);

        const next = await other();

        expect((await next.claim(LATER))?.scope).toBe('two');
      });

      test('a scope whose queued jobs were cancelled has no turn', async () => {
        const job = await submitted({ scope: 'idle' });
        await queue('waiting', 1);
        await store.cancel('idle', job.id, {
          atSecs: LATER,
          error: CANCELLATION,
          inFlight: 'stop',
        });

        expect(await claimedScopes(2)).toEqual(['waiting', undefined]);
      });

      test('jobs are claimed in the order of acceptance', async () => {
        const jobs = [await submitted({ scope: 'b' }), await submitted({ scope: 'a' })];

        const claimed = [await store.claim(LATER), await store.claim(LATER)];

        expect(claimed).toEqual(
          jobs.map((job) => ({
            ...job,
            status: 'running',
            startedSecs: LATER,
            updatedSecs: LATER,
          })),
        );
      });

      test('jobs of a scope with a higher priority are claimed first, then in the order of acceptance', async () => {
        for (const priority of [0, -100, 50, 0, 100, 50]) await submitted({ priority });

        const claimed = [];
        for (let nth = 0; nth < 6; nth += 1) {
          const job = await store.claim(LATER);
          claimed.push(job?.request && [job.priority, job.sequence]);
        }

        expect(claimed).toEqual([
          [100, 5],
          [50, 3],
          [50, 6],
          [0, 1],
          [0, 4],
          [-100, 2],
        ]);
      });

      test('nothing is claimed while the maximum number of jobs runs', async () => {
        await queue('one', 2);
        await queue('other', 2);

        const claimed = [];
        for (let nth = 0; nth < 3; nth += 1)
          claimed.push((await store.claim(LATER, { maxRunning: 2 }))?.sequence);
        const above = (await store.claim(LATER, { maxRunning: 3 }))?.sequence;

        expect(claimed).toEqual([1, 3, undefined]);
        expect(above).toBe(2);
      });

      test('a claim of own work starts only jobs of the bridge, in the turns of their scopes', async () => {
        const own = { isOwnWork: true };
        await queue('one', 2);
        await submitted({ scope: 'one', provider: OWN_PROVIDER });
        await submitted({ scope: 'one', provider: OWN_PROVIDER, priority: 50 });
        await submitted({ scope: 'two', provider: OWN_PROVIDER });

        const claimed = [];
        for (let nth = 0; nth < 4; nth += 1)
          claimed.push((await store.claim(LATER, own))?.sequence);

        expect(claimed).toEqual([4, 5, 3, undefined]);
        expect(await claimedScopes(3)).toEqual(['one', 'one', undefined]);
      });

      test('concurrent claims of own work and of any work get different jobs', async () => {
        for (let nth = 0; nth < 3; nth += 1) {
          await submitted({ provider: OWN_PROVIDER });
          await submitted();
        }

        const claimed = await Promise.all(
          Array.from({ length: 8 }, (_, nth) => store.claim(LATER, { isOwnWork: nth % 2 === 0 })),
        );

        const sequences = claimed.flatMap((job) => job?.sequence ?? []);
        expect(new Set(sequences).size).toBe(sequences.length);
        expect(sequences.length).toBeGreaterThanOrEqual(5);
      });

      test('nothing is claimed from an empty queue', async () => {
        await ended();

        expect(await store.claim(LATER)).toBeUndefined();
      });

      test('concurrent claims get different jobs', async () => {
        await Promise.all(Array.from({ length: 10 }, () => submitted()));

        const claimed = await Promise.all(Array.from({ length: 12 }, () => store.claim(LATER)));

        expect(claimed.map((job) => job?.sequence)).toEqual([
          ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
          ...[undefined, undefined],
        ]);
      });
    });

    describe('refuseWhenFull', () => {
      const key = { hash: 'a hash', fingerprint: 'a fingerprint' };

      test.each([
        ['of jobs', { ...WIDE, maxPending: 1 }],
        ['of bytes', { ...WIDE, maxDatabaseBytes: 1 }],
      ])(
        'a request is rejected at the limit %s, unless its key belongs to an earlier job',
        async (_, limits) => {
          await store.submit(newJob(), { ...WIDE, key });

          const refusal = { code: 'overloaded', details: { reason: 'jobs_full' } };
          await expect(store.refuseWhenFull('anonymous', limits, undefined)).rejects.toMatchObject(
            refusal,
          );
          await expect(store.refuseWhenFull('anonymous', limits, 'another')).rejects.toMatchObject(
            refusal,
          );
          await expect(
            store.refuseWhenFull('anonymous', limits, key.hash),
          ).resolves.toBeUndefined();
          await expect(store.refuseWhenFull('anonymous', WIDE, undefined)).resolves.toBeUndefined();
        },
      );
    });

    describe('settle', () => {
      test('a succeeded job has its result, and its publications are artifacts', async () => {
        const job = await running();
        const id = await pendingArtifact('1'.repeat(32));
        const result = jobResult([id]);

        await store.settle(job.sequence, {
          status: 'succeeded',
          completedSecs: LATER,
          result,
          publications: [id],
        });

        expect(await store.find(job.scope, job.id)).toEqual({
          ...job,
          status: 'succeeded',
          completedSecs: LATER,
          updatedSecs: LATER,
          result,
        });
        expect(await artifacts.find('anonymous', id)).toMatchObject({ id });
      });

      test('a result with a publication that is not pending changes neither the job nor artifacts', async () => {
        const job = await running();
        const id = await pendingArtifact('2'.repeat(32));
        const publications = [id, '3'.repeat(32)];

        const settled = store.settle(job.sequence, {
          status: 'succeeded',
          completedSecs: LATER,
          result: jobResult([id]),
          publications,
        });

        await expect(settled).rejects.toMatchObject({ code: 'artifact' });
        expect(await store.find(job.scope, job.id)).toEqual(job);
        expect(await artifacts.find('anonymous', id)).toBeUndefined();
        expect(await store.totals()).toMatchObject({ byStatus: { running: 1, succeeded: 0 } });
      });

      test.each(['failed', 'cancelled', 'interrupted'] as const)(
        'a job that has %s has its error',
        async (status) => {
          const job = await running();

          await store.settle(job.sequence, { status, completedSecs: LATER, error: FAILURE });

          expect(await store.find(job.scope, job.id)).toEqual({
            ...job,
            status,
            completedSecs: LATER,
            updatedSecs: LATER,
            error: FAILURE,
          });
        },
      );

      test.each(['artifact_exists', 'session_busy'] as const)(
        'the error of a job keeps its code %s, although several codes are reported as conflict',
        async (code) => {
          const { sequence, scope, id } = await running();
          const error = { ...FAILURE, code };

          await store.settle(sequence, { status: 'failed', completedSecs: LATER, error });

          expect(await read(scope, id)).toMatchObject({ error: { code } });
          const { items } = await store.list(scope, ALL, { limit: 1 });
          expect(items).toMatchObject([{ errorCode: 'conflict' }]);
        },
      );

      test.each(JOB_STATUSES.filter((status) => status !== 'running'))(
        'a job that is %s is not ended, and its publications stay pending',
        async (status) => {
          const job = await inStatus(status);
          const id = await pendingArtifact('4'.repeat(32));
          const result = jobResult([id]);

          const reply = await store.settle(job.sequence, {
            status: 'succeeded',
            completedSecs: LATER,
            result,
            publications: [id],
          });

          expect(reply).toBe(false);
          expect(await store.find(job.scope, job.id)).toEqual(job);
          expect(await artifacts.findOwnIntents([id])).toEqual([id]);
        },
      );

      test('one of two concurrent ends is stored', async () => {
        const { sequence, scope, id } = await running();

        const replies = await Promise.all([
          store.settle(sequence, succeeded()),
          store.settle(sequence, { status: 'failed', completedSecs: LATER, error: FAILURE }),
        ]);

        expect(replies.toSorted()).toEqual([false, true]);
        expect((await read(scope, id)).status).toBe(replies[0] ? 'succeeded' : 'failed');
      });

      test.each(['succeeded', 'failed'] as const)(
        'an end as %s that is repeated because its reply was lost is confirmed',
        async (status) => {
          const job = await running();
          const id = await pendingArtifact('8'.repeat(32), {
            job: job.sequence,
            facts: { index: 0 },
          });
          const publications = [id];
          const end: JobEnd =
            status === 'succeeded'
              ? { status, completedSecs: LATER, result: jobResult([id]), publications }
              : { status, completedSecs: LATER, error: FAILURE, publications };
          await store.settle(job.sequence, end);
          const first = await read(job.scope, job.id);
          const { latest } = await store.changes(job.scope);

          const reply = await store.settle(job.sequence, end);

          expect(reply).toBe(true);
          expect(await read(job.scope, job.id)).toEqual(first);
          expect((await store.changes(job.scope)).latest).toBe(latest);
          expect(await artifacts.totals()).toMatchObject({ count: 1 });
        },
      );

      test('the stored images of a job that has ended are kept', async () => {
        const { sequence } = await running({ request: editOf([ONE_INPUT]) });

        await store.settle(sequence, succeeded());

        expect(await store.needsInput(ONE_INPUT)).toBe(true);
        expect(await store.needsInput(OTHER_INPUT)).toBe(false);
      });

      test('the reservation ends with the job, and the size of the result is counted', async () => {
        const job = await running({ reservedBytes: 20_000 });
        const before = await store.totals();

        await store.settle(job.sequence, succeeded());

        const after = await store.totals();
        expect([before.reservedBytes, after.reservedBytes]).toEqual([20_000, 0]);
        expect(after.logicalBytes - before.logicalBytes).toBe(
          Buffer.byteLength(JSON.stringify(jobResult([]))),
        );
      });
    });

    describe('settle, publications and accounts', () => {
      const [one, two] = ['6'.repeat(32), '7'.repeat(32)];
      const facts = (index: number) => ({ index, generation_ms: 7, revised_prompt: 'a boat' });
      const TOKEN = { token: 'alice', day: Math.floor(CREATED_SECS / 86_400) };
      const reservation = { ...WIDE.reservation, token: 'alice', images: 4 };
      const FOUR = { ...WIDE, reservation };
      /** Returns the image of the artifact as the nth of its job. */
      function imageOf(id: string, index: number): ArtifactImage {
        const [image] = jobResult([id]).data;
        if (image?.type !== 'artifact') throw new Error('the image is no artifact');
        return { ...image, ...facts(index) };
      }

      /** Starts a job of alice for four images. Two images are published, and three were sent. */
      async function published() {
        const { parameters } = jobRequest();
        const request = jobRequest({ parameters: { ...parameters, n: 4 } });
        const job = await running({ request }, FOUR);
        const { sequence } = job;
        await ledger.addCall(job.id, { call: 0, provider: 'sandbox', indices: [0, 1, 2] });
        await pendingArtifact(two, { job: sequence, facts: facts(2) });
        await pendingArtifact(one, { job: sequence, facts: facts(0) });
        return job;
      }

      const partial = { data: [imageOf(one, 0), imageOf(two, 2)] };
      const endAs = (status: 'failed' | 'cancelled' | 'interrupted') =>
        ({ status, completedSecs: LATER, error: FAILURE, publications: [two, one] }) as const;

      test.each(['failed', 'cancelled', 'interrupted'] as const)(
        'the images of a job that has %s are its partial result, and artifacts',
        async (status) => {
          const job = await published();

          await store.settle(job.sequence, endAs(status));

          expect(await read(job.scope, job.id)).toMatchObject({ partialResult: partial });
          expect(await artifacts.find('anonymous', one)).toMatchObject({ id: one });
          const { items } = await store.list('anonymous', ALL, { limit: 1 });
          expect(items[0]?.artifacts.map(({ id }) => id)).toEqual([one, two]);
        },
      );

      test('only pending publications that are named are kept', async () => {
        const job = await published();
        await artifacts.discard([one]);

        await store.settle(job.sequence, { ...endAs('failed'), publications: [one] });

        expect(await read(job.scope, job.id)).not.toHaveProperty('partialResult');
        expect(await artifacts.findOwnIntents([one, two])).toEqual([two]);
      });

      test('the next process finds unfinished publications, and keeps the complete ones', async () => {
        const job = await published();
        const next = await other();
        await endLease();
        const atSecs = LATER;

        const begun = await next.listAbandonedOutputs();
        await next.interruptAbandoned({ atSecs, error: FAILURE, publications: [two] });

        expect(begun.map(({ id }) => id).sort()).toEqual([one, two]);
        const { partialResult } = await read(job.scope, job.id);
        expect(partialResult?.data.map(({ index }) => index)).toEqual([2]);
        expect(await artifacts.findOwnIntents([one, two])).toEqual([one]);
        expect(await next.listAbandonedOutputs()).toEqual([]);
      });

      test('an unfinished publication of a job is not taken over before the job has ended', async () => {
        const { sequence } = await published();
        await artifacts.abandon([one]);

        const early = await artifacts.takeAbandoned({ after: '', limit: 100 });
        await store.settle(sequence, { ...endAs('failed'), publications: [two] });
        const late = await artifacts.takeAbandoned({ after: '', limit: 100 });

        expect(early).toEqual([]);
        expect(late).toMatchObject([{ id: one }]);
      });

      test('publications of a running process are not abandoned', async () => {
        await published();

        expect(await store.listAbandonedOutputs()).toEqual([]);
      });

      test('a succeeded job has a result and no partial result', async () => {
        const job = await published();
        const result = jobResult([one, two]);
        const publications = [one, two];

        await store.settle(job.sequence, {
          status: 'succeeded',
          completedSecs: LATER,
          result,
          publications,
        });

        const found = await read(job.scope, job.id);
        expect(found).toMatchObject({ result });
        expect(found).not.toHaveProperty('partialResult');
      });

      test('an image is not linked to a job that has ended or runs in another process', async () => {
        const over = await inStatus('interrupted');
        const foreign = await running();
        const neighbour = await other();
        const theirs = await neighbour.claim(CREATED_SECS);
        await pendingArtifact(one, { job: over.sequence, facts: facts(0) });

        await store.settle(foreign.sequence, endAs('interrupted'));

        expect(theirs).toBeUndefined();
        expect(await read(foreign.scope, foreign.id)).not.toHaveProperty('partialResult');
      });

      test('a job is charged when it is accepted, and its outputs are counted when it ends', async () => {
        const job = await published();
        expect(await usage.charged(TOKEN)).toBe(4);
        const counts = [{ ...NO_COUNTS, provider: 'sandbox', images: 2, lost: 1, failed: 2 }];

        await store.settle(job.sequence, {
          ...endAs('failed'),
          settlement: { renewals: 0, counts },
        });

        expect(await usage.charged(TOKEN)).toBe(2);
        expect(await usage.list(TOKEN)).toMatchObject(counts);
      });

      test('an interrupted job counts kept, possibly sent and unsent outputs separately', async () => {
        await published();
        const next = await other();
        await endLease();
        const end = { atSecs: LATER, error: FAILURE, publications: [one, two] };

        await next.interruptAbandoned(end);

        expect(await usage.charged(TOKEN)).toBe(3);
        expect(await usage.list(TOKEN)).toMatchObject([
          { provider: '', images: 0, unknown: 0, failed: 1 },
          { provider: 'sandbox', images: 2, lost: 0, unknown: 1, failed: 0 },
        ]);
      });

      test('a job beyond the allowance of its token is rejected and leaves nothing', async () => {
        const beyond = { ...WIDE, reservation: { ...FOUR.reservation, allowance: 3 } };

        const refused = submitted({}, beyond);

        await expect(refused).rejects.toMatchObject({
          code: 'rate_limited',
          details: { reason: 'allowance', remaining: 3 },
        });
        expect(await usage.charged(TOKEN)).toBe(0);
        expect((await store.totals()).byStatus.queued).toBe(0);
        expect((await store.changes('anonymous')).latest).toBe(0);
      });

      test('a job that the bridge makes itself is accepted above the allowance, and charges nothing', async () => {
        const admission = { ...WIDE, reservation: { ...reservation, images: 0, allowance: 3 } };
        const own = { provider: OWN_PROVIDER, model: CROP_MODEL };
        await published();
        const paid = await usage.charged(TOKEN);
        const failed = await running(own, admission);
        const cancelled = await submitted(own, admission);

        const end = { status: 'failed', completedSecs: LATER, error: FAILURE } as const;
        await store.settle(failed.sequence, { ...end, settlement: { renewals: 0, counts: [] } });
        await store.cancel(cancelled.scope, cancelled.id, {
          atSecs: LATER,
          error: CANCELLATION,
          inFlight: 'stop',
        });

        expect([paid, await usage.charged(TOKEN)]).toEqual([4, 4]);
        expect(await usage.list(TOKEN)).toEqual([]);
      });

      describe('of a token with a budget', () => {
        const budget = { held: 100n, perDay: 150n };
        const COSTLY = { ...WIDE, reservation: { ...reservation, budget } };
        const isOverBudget = {
          code: 'rate_limited',
          details: { reason: 'budget', period: 'day' },
        };

        /** Starts a job for four images that may cost 100 units. All images were sent. */
        async function costly() {
          const { parameters } = jobRequest();
          const request = jobRequest({ parameters: { ...parameters, n: 4 } });
          const job = await running({ request }, COSTLY);
          await ledger.addCall(job.id, { call: 0, provider: 'sandbox', indices: [0, 1, 2, 3] });
          return job;
        }

        test('a job reserves the bound of its cost, and its end charges the reported cost', async () => {
          const job = await costly();
          expect(await usage.spent(TOKEN)).toEqual({ day: 100n, month: 100n });
          const cost = { amount: 30n, basis: 'reported' } as const;
          const counts = [{ ...NO_COUNTS, provider: 'sandbox', images: 4, cost }];

          await expect(submitted({}, COSTLY)).rejects.toMatchObject(isOverBudget);
          await store.settle(job.sequence, {
            ...endAs('failed'),
            settlement: { renewals: 0, counts },
          });

          expect(await usage.spent(TOKEN)).toEqual({ day: 30n, month: 30n });
          expect(await usage.list(TOKEN)).toMatchObject(counts);
          await submitted({}, COSTLY);
          expect(await usage.spent(TOKEN)).toEqual({ day: 130n, month: 130n });
        });

        test('images with an unknown cost keep their share of the reservation', async () => {
          const job = await costly();
          const cost = { amount: 7n, basis: 'unknown' } as const;
          const counts = [
            {
              ...NO_COUNTS,
              provider: 'sandbox',
              images: 1,
              unknown: 2,
              failed: 1,
              cost,
              unpriced: 2,
            },
          ];

          await store.settle(job.sequence, {
            ...endAs('failed'),
            settlement: { renewals: 0, counts },
          });

          expect(await usage.spent(TOKEN)).toEqual({ day: 57n, month: 57n });
        });

        test('an interrupted job keeps the shares of the images that may have been sent', async () => {
          const { parameters } = jobRequest();
          const request = jobRequest({ parameters: { ...parameters, n: 4 } });
          const job = await running({ request }, COSTLY);
          await ledger.addCall(job.id, { call: 0, provider: 'sandbox', indices: [0, 1, 2] });
          const next = await other();
          await endLease();

          await next.interruptAbandoned({ atSecs: LATER, error: FAILURE, publications: [] });

          expect(await usage.spent(TOKEN)).toEqual({ day: 75n, month: 75n });
        });

        test('a queued job that is cancelled returns its reservation', async () => {
          const job = await submitted({}, COSTLY);

          await store.cancel(job.scope, job.id, {
            atSecs: LATER,
            error: CANCELLATION,
            inFlight: 'stop',
          });

          expect(await usage.spent(TOKEN)).toEqual({ day: 0n, month: 0n });
        });

        test('jobs that are submitted together never exceed the budget', async () => {
          const some = {
            ...COSTLY,
            reservation: { ...reservation, budget: { ...budget, held: 40n } },
          };

          const all = await Promise.allSettled(
            Array.from({ length: 8 }, () => submitted({}, some)),
          );

          expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
          expect(await usage.spent(TOKEN)).toEqual({ day: 120n, month: 120n });
        });
      });

      test('an end that is rejected counts nothing', async () => {
        const job = await published();
        const counts = [{ ...NO_COUNTS, provider: 'sandbox', images: 4 }];
        const settlement = { renewals: 0, counts };
        await store.settle(job.sequence, { ...endAs('failed'), settlement });

        await store.settle(job.sequence, { ...endAs('failed'), settlement });

        expect(await usage.charged(TOKEN)).toBe(4);
      });

      test('a queued job that is cancelled counts nothing', async () => {
        const { parameters } = jobRequest();
        const request = jobRequest({ parameters: { ...parameters, n: 4 } });
        const job = await submitted({ request }, FOUR);

        await store.cancel(job.scope, job.id, {
          atSecs: LATER,
          error: CANCELLATION,
          inFlight: 'stop',
        });

        expect(await usage.charged(TOKEN)).toBe(0);
        expect(await usage.list(TOKEN)).toEqual([]);
      });
    });

    describe('cancel', () => {
      const request = { atSecs: LATER, error: CANCELLATION, inFlight: 'stop' } as const;

      test('a queued job ends at once', async () => {
        const job = await submitted();

        const reply = await store.cancel(job.scope, job.id, request);

        expect(reply).toEqual({
          ...job,
          status: 'cancelled',
          completedSecs: LATER,
          updatedSecs: LATER,
          cancelRequested: true,
          error: CANCELLATION,
        });
        expect(await store.claim(LATER)).toBeUndefined();
      });

      test('a running job continues with the request recorded', async () => {
        const job = await running();

        const reply = await store.cancel(job.scope, job.id, request);

        expect(reply).toEqual({ ...job, cancelRequested: true, updatedSecs: LATER });
      });

      test.each(['succeeded', 'failed', 'cancelled', 'interrupted'] as const)(
        'a job that has %s does not change',
        async (status) => {
          const job = await inStatus(status);

          const reply = await store.cancel(job.scope, job.id, { ...request, atSecs: LATER + 5 });

          expect(reply).toEqual(job);
        },
      );

      test('a success is not stored after a request to cancel the job', async () => {
        const job = await running();
        const id = await pendingArtifact('5'.repeat(32));
        const result = jobResult([id]);
        const reply = await store.cancel(job.scope, job.id, request);

        const settled = await store.settle(job.sequence, {
          status: 'succeeded',
          completedSecs: LATER,
          result,
          publications: [id],
        });

        const found = await store.find(job.scope, job.id);
        const cancelled = { status: 'cancelled', completedSecs: LATER, error: FAILURE } as const;
        expect(reply).toMatchObject({ status: 'running', cancelRequested: true });
        expect(settled).toBe(false);
        expect(found).toEqual(reply);
        expect(await artifacts.find('anonymous', id)).toBeUndefined();
        expect(await store.settle(job.sequence, cancelled)).toBe(true);
      });

      test('exactly one of a concurrent cancellation and success takes effect', async () => {
        const { scope, id, sequence } = await running();

        const [reply, isStored] = await Promise.all([
          store.cancel(scope, id, request),
          store.settle(sequence, succeeded()),
        ]);

        expect(reply).toMatchObject(
          isStored
            ? { status: 'succeeded', cancelRequested: false }
            : { status: 'running', cancelRequested: true },
        );
        expect(await store.find(scope, id)).toEqual(reply);
      });

      test('exactly one of a concurrent cancellation and claim takes effect', async () => {
        const job = await submitted();

        const [reply, claimed] = await Promise.all([
          store.cancel(job.scope, job.id, request),
          store.claim(LATER),
        ]);

        expect(reply?.status).toBe(claimed ? 'running' : 'cancelled');
        expect(reply?.cancelRequested).toBe(true);
      });

      test('the request to cancel a running job is stored until the job ends', async () => {
        const { id, scope, sequence } = await running();
        await running();
        await store.cancel(scope, id, request);

        const listed = await store.listCancellations();
        await store.settle(sequence, {
          status: 'cancelled',
          completedSecs: LATER,
          error: CANCELLATION,
        });

        expect(listed).toEqual([{ id, scope, sequence, error: CANCELLATION, inFlight: 'stop' }]);
        expect(await store.listCancellations()).toEqual([]);
      });

      test.each([
        ['finish', 'stop', 'later'],
        ['finish', 'finish', 'earlier'],
        ['stop', 'finish', 'earlier'],
        ['stop', 'stop', 'earlier'],
      ] as const)('of the requests %s and %s, the %s is stored', async (one, two, stored) => {
        const { id, scope } = await running();
        const earlier = { error: CANCELLATION, inFlight: one };
        const later = { error: FAILURE, inFlight: two };

        await store.cancel(scope, id, { ...earlier, atSecs: LATER });
        await store.cancel(scope, id, { ...later, atSecs: LATER });

        expect(await store.listCancellations()).toMatchObject([{ earlier, later }[stored]]);
      });

      test('a request from another process is listed for the process that runs the job', async () => {
        const { id, scope } = await running();
        const next = await other();

        await next.cancel(scope, id, request);

        expect(await store.listCancellations()).toMatchObject([{ id }]);
        expect(await next.listCancellations()).toEqual([]);
      });

      test('exactly one of a concurrent cancellation and claim takes effect', async () => {
        const job = await submitted();

        const [reply, claimed] = await Promise.all([
          store.cancel(job.scope, job.id, request),
          store.claim(LATER),
        ]);

        expect(reply?.status).toBe('cancelled');
        expect(claimed).toBeUndefined();
      });
    });

    describe('update', () => {
      test('the favourite and hidden marks are set and removed independently', async () => {
        const { scope, id } = await ended();
        const change = (request: { favorite?: boolean; deleted?: boolean }) =>
          store.update(scope, id, { atSecs: LATER, ...request });

        const steps = [
          await change({ favorite: true }),
          await change({ deleted: true }),
          await change({ favorite: false }),
          await change({ deleted: false }),
        ];

        expect(steps.map((job) => [job?.favorite, job?.deletedSecs])).toEqual([
          [true, undefined],
          [true, LATER],
          [false, LATER],
          [false, undefined],
        ]);
      });

      test('the labels of a job are stored, replaced and removed, and count in its size', async () => {
        const { scope, id } = await submitted({ labels: ['cats', 'हिन्दी'] });
        const accepted = await read(scope, id);
        const before = (await store.totals()).logicalBytes;

        const replaced = await store.update(scope, id, { atSecs: LATER, labels: ['Füchse'] });
        const marked = await store.update(scope, id, { atSecs: LATER, favorite: true });
        const { items } = await store.list(scope, ALL, { limit: 1 });
        const between = (await store.totals()).logicalBytes;
        const removed = await store.update(scope, id, { atSecs: LATER, labels: [] });

        expect(accepted.labels).toEqual(['cats', 'हिन्दी']);
        expect(replaced).toMatchObject({ labels: ['Füchse'], updatedSecs: LATER });
        expect([marked?.labels, items[0]?.labels, removed?.labels]).toEqual([
          ['Füchse'],
          ['Füchse'],
          [],
        ]);
        const sizeOf = (labels: readonly string[]) => Buffer.byteLength(JSON.stringify(labels));
        expect(before - between).toBe(sizeOf(['cats', 'हिन्दी']) - sizeOf(['Füchse']));
        expect(between - (await store.totals()).logicalBytes).toBe(sizeOf(['Füchse']) - sizeOf([]));
      });

      test('a job is stored with its group and its place there', async () => {
        const group = { id: 'lake-1', row: 23, column: 5 };
        const { scope, id } = await submitted({ group });
        const alone = await submitted({ scope });

        const { items } = await store.list(scope, { ...ALL, group: 'lake-1' }, { limit: 9 });
        const other = await store.list('another', { ...ALL, group: 'lake-1' }, { limit: 9 });

        expect((await read(scope, id)).group).toEqual(group);
        expect(items.map((job) => [job.id, job.group])).toEqual([[id, group]]);
        expect(other.items).toEqual([]);
        expect(await read(scope, alone.id)).not.toHaveProperty('group');
      });

      test('a job whose labels stay the same does not change', async () => {
        const { scope, id } = await submitted({ labels: ['cats'] });

        await store.update(scope, id, { atSecs: LATER, labels: ['cats'] });

        expect(await read(scope, id)).toMatchObject({ updatedSecs: CREATED_SECS });
      });

      test('a removed job is not found by its label', async () => {
        await ended({ labels: ['cats'] });
        const filter = { ...ALL, label: 'cats' };
        expect((await store.list('anonymous', filter, { limit: 9 })).items).toHaveLength(1);

        await store.prune({ ...KEEP_ALL, maxRetained: 0 });

        expect((await store.list('anonymous', filter, { limit: 9 })).items).toEqual([]);
      });

      test('hiding a hidden job keeps its time, and an empty change changes nothing', async () => {
        const { scope, id } = await ended();
        await store.update(scope, id, { atSecs: LATER, deleted: true });

        const again = await store.update(scope, id, { atSecs: LATER + 9, deleted: true });

        expect(again).toMatchObject({ deletedSecs: LATER, updatedSecs: LATER });
      });

      test.each(['queued', 'running'] as const)(
        'a job that is %s can be marked but not hidden',
        async (status) => {
          const { scope, id } = await inStatus(status);

          const hidden = store.update(scope, id, { atSecs: LATER, favorite: true, deleted: true });

          await expect(hidden).rejects.toMatchObject({ code: 'job_not_terminal' });
          expect(await read(scope, id)).toMatchObject({ favorite: false });
          await expect(
            store.update(scope, id, { atSecs: LATER, favorite: true, deleted: false }),
          ).resolves.toMatchObject({ favorite: true });
        },
      );
    });

    describe('cancellation of queued jobs only', () => {
      test('ends a queued job, and a running job continues', async () => {
        const running = await inStatus('running');
        const waiting = await submitted();
        const request = { atSecs: LATER, error: CANCELLATION, inFlight: 'stop' } as const;
        const cancel = (id: string) =>
          store.cancel('anonymous', id, { ...request, isOnlyQueued: true });

        expect(await cancel(running.id)).toEqual(running);
        expect(await cancel(waiting.id)).toMatchObject({ status: 'cancelled' });
        expect(await store.listCancellations()).toEqual([]);
      });
    });

    describe('priority', () => {
      test('a queued job moves with its priority', async () => {
        const [first, second] = [await submitted(), await submitted()];

        const moved = await store.update(second.scope, second.id, { atSecs: LATER, priority: 1 });
        const claimed = await store.claim(LATER);

        expect(moved).toMatchObject({ priority: 1, updatedSecs: LATER });
        expect([claimed?.id, (await store.claim(LATER))?.id]).toEqual([second.id, first.id]);
      });

      test('the priority of a job that is not queued does not change', async () => {
        const job = await inStatus('running');
        const change = { atSecs: LATER, favorite: true, priority: 1 };

        const refused = store.update(job.scope, job.id, change);

        await expect(refused).rejects.toMatchObject({ code: 'job_not_queued' });
        expect(await read(job.scope, job.id)).toMatchObject({ priority: 0, favorite: false });
        await expect(
          store.update(job.scope, job.id, { ...change, priority: 0 }),
        ).resolves.toMatchObject({ favorite: true });
      });
    });

    describe('ownership', () => {
      test.each([
        ['another scope', 'other', undefined],
        ['an empty scope', '', undefined],
        ['an unknown id', 'anonymous', '01890000-0000-7000-8000-ffffffffffff'],
        ['a malformed id', 'anonymous', "' OR 1=1 --"],
      ])('no job is found, changed or listed by %s', async (_, scope, id) => {
        const job = await ended();
        const asked = id ?? job.id;

        const replies = [
          await store.find(scope, asked),
          await store.cancel(scope, asked, {
            atSecs: LATER,
            error: CANCELLATION,
            inFlight: 'stop',
          }),
          await store.update(scope, asked, { atSecs: LATER, favorite: true }),
        ];

        expect(replies).toEqual([undefined, undefined, undefined]);
        expect(await read(job.scope, job.id)).toEqual(job);
        const { items } = await store.list(scope, ALL, { limit: 10 });
        expect(items).toHaveLength(id === undefined ? 0 : 1);
      });
    });

    describe('list', () => {
      test('a summary has the fields of lists and the artifacts of the result', async () => {
        const id = await pendingArtifact('5'.repeat(32));
        const prompt = `${'ä'.repeat(255)}\u{1f431}tail`;
        const image = {
          type: 'stored',
          sha256: ONE_INPUT,
          media_type: 'image/png',
          bytes: 7,
        } as const;
        const job = await running({
          request: jobRequest({
            prompt,
            operation: 'edit',
            images: [image, image],
            mask: image,
            reference_images: [image],
          }),
          size: '640x480',
        });
        const result = jobResult([id]);
        await store.settle(job.sequence, {
          status: 'succeeded',
          completedSecs: LATER,
          result,
          publications: [id],
        });

        const { items, more } = await store.list(job.scope, ALL, { limit: 10 });

        const { request: _, requestId: __, token: ___, parents: ____, ...facts } = job;
        expect(more).toBe(false);
        expect(items).toEqual([
          {
            ...facts,
            status: 'succeeded',
            completedSecs: LATER,
            updatedSecs: LATER,
            operation: 'edit',
            prompt: `${'ä'.repeat(255)}\u{1f431}`,
            outputs: 1,
            size: '640x480',
            inputs: 4,
            provider: 'sandbox',
            model: 'sandbox-sketch',
            artifacts: [{ id, width: 640, height: 480, format: 'png', bytes: 1234 }],
          },
        ]);
      });

      test('an image of a summary has the credentials that were found and those of the file', async () => {
        const ids = await Promise.all(['6', '7'].map((digit) => pendingArtifact(digit.repeat(32))));
        const job = await running();
        const result = jobResult(ids);
        const [first, second] = result.data;
        if (first === undefined || second === undefined) expect.fail('no images');
        const provenance: Provenance = {
          found: 'valid',
          credentials: 'dropped',
          reason: 'converted',
          mark: 'written',
          source_type: 'a term',
          signer: 'Provider of Tests',
        };
        await store.settle(job.sequence, {
          status: 'succeeded',
          completedSecs: LATER,
          result: { ...result, data: [{ ...first, provenance }, second] },
          publications: ids,
        });

        const { items } = await store.list(job.scope, ALL, { limit: 1 });

        const facts = { width: 640, height: 480, format: 'png', bytes: 1234 };
        expect(items[0]?.artifacts).toEqual([
          { id: ids[0], ...facts, provenance: { found: 'valid', credentials: 'dropped' } },
          { id: ids[1], ...facts },
        ]);
      });

      test('a failed job has the code of its error and the provider of its plan', async () => {
        await inStatus('failed');

        const { items } = await store.list('anonymous', ALL, { limit: 10 });

        expect(items).toMatchObject([
          { errorCode: 'upstream', provider: 'sandbox', model: 'sandbox-image', artifacts: [] },
        ]);
      });

      test('a filter by provider finds jobs that the provider ran, and jobs whose plan begins with it', async () => {
        const waiting = await submitted({ provider: 'agent-responses' });
        await submitted({ provider: 'comfy' });
        const fellBack = await store.claim(LATER);
        await store.settle(fellBack?.sequence ?? 0, succeeded());
        const ids = async (provider: string) => {
          const { items } = await store.list('anonymous', { ...ALL, provider }, { limit: 10 });
          return items.map(({ sequence }) => sequence);
        };

        const listed = [await ids('sandbox'), await ids('agent-responses'), await ids('comfy')];

        expect(listed).toEqual([[waiting.sequence], [], [2]]);
      });

      test('the jobs of a filter are counted up to the limit', async () => {
        for (let nth = 0; nth < 3; nth += 1) await submitted();
        await submitted({ scope: 'other' });
        await store.claim(LATER);
        const counts = (filter: JobFilter, limit: number) =>
          store.count('anonymous', filter, limit);

        expect(await counts(ALL, 10)).toBe(3);
        expect(await counts(ALL, 2)).toBe(2);
        expect(await counts({ ...ALL, status: 'queued', provider: 'sandbox' }, 10)).toBe(2);
        expect(await counts({ ...ALL, provider: 'comfy' }, 10)).toBe(0);
      });

      test('pages follow each other without a gap, newest job first', async () => {
        const made = [];
        for (let nth = 0; nth < 5; nth += 1) {
          // The clock runs backwards.
          made.unshift((await submitted({ createdSecs: CREATED_SECS - nth })).id);
        }

        const first = await store.list('anonymous', ALL, { limit: 2 });
        await submitted();
        const second = await store.list('anonymous', ALL, { limit: 2, before: 4 });
        const third = await store.list('anonymous', ALL, { limit: 2, before: 2 });

        expect([first, second, third].map(({ more }) => more)).toEqual([true, true, false]);
        expect([first, second, third].flatMap(({ items }) => items).map(({ id }) => id)).toEqual(
          made,
        );
      });
    });

    describe('interruptAbandoned', () => {
      test('only the running jobs of ended processes are interrupted', async () => {
        for (const status of JOB_STATUSES) if (status !== 'queued') await inStatus(status);
        const runs = await running();
        await submitted();

        const next = await other();
        await endLease();
        const reply = await next.interruptAbandoned({ atSecs: LATER, error: CANCELLATION });

        expect(reply).toBe(2);
        expect(await read(runs.scope, runs.id)).toMatchObject({
          status: 'interrupted',
          completedSecs: LATER,
          error: CANCELLATION,
        });
        expect((await store.totals()).byStatus).toEqual({
          queued: 1,
          running: 0,
          succeeded: 1,
          failed: 1,
          cancelled: 1,
          interrupted: 3,
        });
      });

      test('a job of this process, or of one whose lease has not ended, is not interrupted', async () => {
        const mine = await running();
        const neighbour = await other();
        await submitted();
        const theirs = await neighbour.claim(CREATED_SECS);
        const end = { atSecs: LATER, error: CANCELLATION };

        const early = await neighbour.interruptAbandoned(end);
        const settled = await store.settle(theirs?.sequence ?? 0, succeeded());
        await endLease();
        const late = await neighbour.interruptAbandoned(end);

        expect([early, settled, late]).toEqual([0, false, 1]);
        expect(await read(mine.scope, mine.id)).toMatchObject({ status: 'interrupted' });
        expect(theirs?.request && (await read(theirs.scope, theirs.id))).toEqual(theirs);
      });
    });

    describe('resumeAbandoned', () => {
      const [one, two] = ['6'.repeat(32), '7'.repeat(32)];
      const TOKEN = { token: 'alice', day: Math.floor(CREATED_SECS / 86_400) };
      const reservation = { ...WIDE.reservation, token: 'alice', images: 4 };
      const delivered = {
        index: 0,
        size: 'honoured',
        format: 'unspecified',
        alpha: 'unspecified',
      } as const;
      const end = { atSecs: LATER, error: FAILURE };
      const sandbox = { provider: 'sandbox' };

      /** Starts a job of alice for four images. Two calls are open, of which the first has a ticket. Two images are published. */
      async function accepted() {
        const { parameters } = jobRequest();
        const request = jobRequest({ parameters: { ...parameters, n: 4 } });
        const job = await running({ request }, { ...WIDE, reservation });
        await ledger.addCall(job.id, { call: 0, indices: [0, 1], ...sandbox });
        await ledger.addCall(job.id, { call: 1, indices: [2], ...sandbox });
        await ledger.accept(job.id, { call: 0, model: 'a-model', ticket: 'a ticket' });
        const facts = { index: 0, generation_ms: 7, delivered };
        await pendingArtifact(one, { job: job.sequence, facts });
        await pendingArtifact(two, { job: job.sequence, facts: { index: 1, generation_ms: 7 } });
        return job;
      }

      test('a job with a ticket moves to the next process with its calls and its complete images', async () => {
        const job = await accepted();
        const next = await other();
        await endLease();
        const publications = [one];

        const resumed = await next.resumeAbandoned({ ...end, publications });
        const interrupted = await next.interruptAbandoned({ ...end, publications });

        expect(resumed?.job).toEqual(job);
        expect(resumed?.earlier).toMatchObject({
          renewals: 0,
          provider: 'sandbox',
          model: 'a-model',
          calls: [
            { call: 0, indices: [0, 1], ticket: 'a ticket', ...sandbox },
            { call: 1, indices: [2], ...sandbox },
          ],
          images: [{ record: { id: one }, facts: { index: 0, generation_ms: 7, delivered } }],
        });
        expect(resumed?.earlier.calls[1]).not.toHaveProperty('ticket');
        expect(interrupted).toBe(0);
        expect(await read(job.scope, job.id)).toEqual(job);
        expect(await next.resumeAbandoned(end)).toBeUndefined();
      });

      test('a resumed job can succeed with its earlier images, and is charged once', async () => {
        const job = await accepted();
        const next = await other();
        await endLease();
        await next.resumeAbandoned({ ...end, publications: [one, two] });
        const counts = [{ ...NO_COUNTS, ...sandbox, images: 2, unknown: 1, failed: 1 }];
        const success = {
          status: 'succeeded' as const,
          completedSecs: LATER,
          result: jobResult([one, two]),
          publications: [one, two],
          settlement: { renewals: 0, counts },
        };

        const isEndedBefore = await store.settle(job.sequence, success);
        const isEnded = await next.settle(job.sequence, success);

        expect([isEndedBefore, isEnded]).toEqual([false, true]);
        expect(await read(job.scope, job.id)).toMatchObject({ status: 'succeeded' });
        expect(await artifacts.find('anonymous', one)).toMatchObject({ id: one });
        expect(await usage.charged(TOKEN)).toBe(3);
        expect(await usage.list(TOKEN)).toMatchObject(counts);
      });

      test('an incomplete image of a resumed job stays unfinished and never becomes a result', async () => {
        const { id, scope, sequence } = await accepted();
        const next = await other();
        await endLease();

        await next.resumeAbandoned({ ...end, publications: [one] });
        const own = await artifacts.findOwnIntents([one, two]);
        const publications = [one, two];
        await next.settle(sequence, {
          ...{ status: 'failed', completedSecs: LATER, error: FAILURE, publications },
        });

        expect(own).toEqual([two]);
        const { partialResult } = await read(scope, id);
        expect(partialResult?.data.map(({ index }) => index)).toEqual([0]);
      });

      test('the process that has lost a job cannot open a call, keep a ticket or count its calls', async () => {
        const { id } = await accepted();
        const next = await other();
        await endLease();
        await next.resumeAbandoned(end);

        const late = await Promise.allSettled([
          ledger.addCall(id, { call: 2, indices: [3], ...sandbox }),
          ledger.accept(id, { call: 0, model: 'a-model', ticket: 'another ticket' }),
          ledger.withdrawTicket(id, 0),
          ledger.renew(id, { renewals: 0, counts: [] }, 4),
        ]);

        expect(late).toMatchObject(Array(4).fill({ reason: { code: 'internal' } }));
      });

      test('a job of this process, or of one whose lease has not ended, does not move', async () => {
        await accepted();
        const next = await other();

        expect(await store.resumeAbandoned(end)).toBeUndefined();
        expect(await next.resumeAbandoned(end)).toBeUndefined();
      });

      test.each([
        ['is withdrawn', (id: string) => ledger.withdrawTicket(id, 0)],
        [
          'belongs to an earlier route',
          (id: string) => ledger.renew(id, { renewals: 0, counts: [] }, 4),
        ],
      ])('a job whose ticket %s is interrupted', async (_, change) => {
        const job = await accepted();
        await change(job.id);
        const next = await other();
        await endLease();

        expect(await next.resumeAbandoned(end)).toBeUndefined();
        expect(await next.interruptAbandoned(end)).toBe(1);
      });

      test('a job that moves again has the latest tickets and all of its images', async () => {
        const job = await accepted();
        await ledger.accept(job.id, { call: 1, model: 'a-model', ticket: 'first' });
        await ledger.accept(job.id, { call: 1, model: 'a-model', ticket: 'second' });
        const next = await other();
        await endLease();

        const { earlier } =
          (await next.resumeAbandoned({ ...end, publications: [one, two] })) ?? {};

        expect(earlier?.calls.map(({ ticket }) => ticket)).toEqual(['a ticket', 'second']);
        expect(earlier?.images.map(({ record }) => record.id).sort()).toEqual([one, two]);
      });
    });

    describe('prune', () => {
      /** Returns the remaining jobs, each with its scope and sequence, in the order of acceptance. */
      async function left() {
        const lists = await Promise.all(
          ['quiet', 'busy', 'hostile', 'first', 'last'].map((scope) =>
            store.list(scope, ALL, { limit: 100 }),
          ),
        );
        return lists
          .flatMap(({ items }) => items)
          .sort((one, next) => one.sequence - next.sequence)
          .map(({ scope, sequence }) => `${scope} ${sequence}`);
      }

      test.each<[string, Partial<JobRetention>, number[]]>([
        ['jobs that are too old', { completedBeforeSecs: CREATED_SECS + 3 }, [1, 2]],
        ['jobs beyond the number limit', { maxRetained: 3 }, [1]],
        ['jobs beyond the size limit', { maxRetainedBytes: 1 }, [1, 2, 3, 4]],
        ['no jobs that are within all limits', {}, []],
      ])('prune removes %s, in the order of their ends', async (_, bound, removed) => {
        for (const nth of [1, 2, 3, 4]) await ended({}, CREATED_SECS + nth);

        const reply = await store.prune({ ...KEEP_ALL, ...bound });

        expect(reply).toEqual({ removed, releasedInputs: [] });
        const { items } = await store.list('anonymous', ALL, { limit: 10 });
        expect(items.map(({ sequence }) => sequence)).toEqual(
          [4, 3, 2, 1].filter((sequence) => !removed.includes(sequence)),
        );
      });

      test('jobs are removed until the history is within its limits', async () => {
        for (const nth of [1, 2, 3, 4]) await ended({}, CREATED_SECS + nth);
        const { logicalBytes } = await store.totals();

        await store.prune({ ...KEEP_ALL, maxRetainedBytes: logicalBytes / 2 });

        const after = await store.totals();
        expect(after.logicalBytes).toBeLessThanOrEqual(logicalBytes / 2);
        expect(after.byStatus.succeeded).toBe(2);
      });

      test('favourites, queued and running jobs are kept and do not count, and hidden jobs are removed', async () => {
        const favorite = await ended();
        const hidden = await ended();
        await store.update(favorite.scope, favorite.id, { atSecs: LATER, favorite: true });
        await store.update(hidden.scope, hidden.id, { atSecs: LATER, deleted: true });
        await running();
        await submitted();

        const { removed } = await store.prune({ ...KEEP_ALL, completedBeforeSecs: LATER * 2 });
        const again = await store.prune({ ...KEEP_ALL, maxRetained: 0, maxRetainedBytes: 0 });

        expect([removed, again.removed]).toEqual([[hidden.sequence], []]);
      });

      test('an overlong history loses the oldest jobs of the scope with the most jobs', async () => {
        for (const nth of [1, 2]) await ended({ scope: 'quiet' }, CREATED_SECS + nth);
        for (const nth of [3, 4, 5, 6]) await ended({ scope: 'busy' }, CREATED_SECS + nth);

        const first = await store.prune({ ...KEEP_ALL, maxRetained: 4 });
        const second = await store.prune({ ...KEEP_ALL, maxRetained: 2 });

        expect(first.removed).toEqual([3, 4]);
        expect(second.removed).toHaveLength(2);
        expect(new Set(await left())).toEqual(new Set(['quiet 2', 'busy 6']));
      });

      test('large jobs of one scope do not remove jobs of another scope', async () => {
        const large = 1_000_000;
        for (const nth of [1, 2, 3]) await ended({ scope: 'quiet' }, CREATED_SECS + nth);
        for (const nth of [4, 5, 6, 7]) {
          const request = editOf([nth.toString(16).repeat(64)], large);
          await ended({ scope: 'hostile', request }, CREATED_SECS + nth);
        }

        await store.prune({ ...KEEP_ALL, maxRetainedBytes: 2.5 * large });

        expect(await left()).toEqual(['quiet 1', 'quiet 2', 'quiet 3', 'hostile 6', 'hostile 7']);
      });

      test('any scope may fill the history while it is within its limits', async () => {
        await ended({ scope: 'quiet' });
        for (const nth of [1, 2, 3, 4]) await ended({ scope: 'busy' }, CREATED_SECS + nth);

        expect((await store.prune({ ...KEEP_ALL, maxRetained: 5 })).removed).toEqual([]);
      });

      test('a shared image counts for the scope that submitted it last', async () => {
        const large = 1_000_000;
        const request = editOf([ONE_INPUT], large);
        await ended({ scope: 'first', request }, CREATED_SECS + 1);
        await ended({ scope: 'last', request }, CREATED_SECS + 2);
        const larger = editOf([OTHER_INPUT], 1.5 * large);
        await ended({ scope: 'first', request: larger }, CREATED_SECS + 3);
        const rule = { ...KEEP_ALL, maxRetainedBytes: 2.2 * large };

        const { removed } = await store.prune(rule);

        expect(removed).toEqual([1, 3]);
        expect(await left()).toEqual(['last 2']);
      });

      test('a scope below its share loses nothing while webhooks of the largest scope are pending', async () => {
        const webhook = { url: 'https://hooks.test/', events: ['succeeded' as const] };
        await ended({ scope: 'quiet' }, CREATED_SECS + 1);
        for (const nth of [2, 3, 4]) await ended({ scope: 'busy', webhook }, CREATED_SECS + nth);

        const pruned = await store.prune({ ...KEEP_ALL, maxRetained: 2 });
        const old = await store.prune({ ...KEEP_ALL, completedBeforeSecs: CREATED_SECS + 4 });

        expect(pruned).toEqual({ removed: [], releasedInputs: [] });
        expect(old.removed).toEqual([1, 2, 3]);
      });

      test('a sweep continues after the jobs that it has skipped', async () => {
        const webhook = { url: 'https://hooks.test/', events: ['succeeded' as const] };
        for (const nth of [1, 2, 3]) await ended({ webhook }, CREATED_SECS + nth);
        for (const nth of [4, 5]) await ended({}, CREATED_SECS + nth);
        const rule = { ...KEEP_ALL, maxRetained: 4, batch: 2 };

        const first = await store.prune(rule);
        const second = await store.prune({ ...rule, after: first.next });

        expect(first).toMatchObject({ removed: [], next: expect.any(Map) });
        expect(second.removed).toEqual([4]);
      });

      test('one call removes at most one batch', async () => {
        for (let nth = 0; nth < 5; nth += 1) await ended();
        const rule = { ...KEEP_ALL, maxRetained: 0, batch: 2 };

        const sizes = [
          (await store.prune(rule)).removed.length,
          (await store.prune(rule)).removed.length,
          (await store.prune(rule)).removed.length,
        ];

        expect(sizes).toEqual([2, 2, 1]);
      });

      test('a stored image is released with the last job that uses it', async () => {
        const both = editOf([ONE_INPUT, OTHER_INPUT, ONE_INPUT]);
        await ended({ request: both }, CREATED_SECS + 1);
        await ended({ request: editOf([ONE_INPUT]) }, CREATED_SECS + 2);
        const rule = { ...KEEP_ALL, maxRetained: 0, batch: 1 };

        const first = await store.prune(rule);
        const isNeeded = [await store.needsInput(ONE_INPUT), await store.needsInput(OTHER_INPUT)];
        const second = await store.prune(rule);

        expect(first.releasedInputs).toEqual([OTHER_INPUT]);
        expect(isNeeded).toEqual([true, false]);
        expect(second.releasedInputs).toEqual([ONE_INPUT]);
        expect(await store.needsInput(ONE_INPUT)).toBe(false);
      });

      test('a stored image counts once in the history, for the last job that uses it', async () => {
        const large = 1_000_000;
        const request = editOf([ONE_INPUT], large);
        for (const nth of [1, 2, 3]) await ended({ request }, CREATED_SECS + nth);
        await ended({ request: editOf([OTHER_INPUT], large) }, CREATED_SECS + 4);
        const bound = (maxRetainedBytes: number) => store.prune({ ...KEEP_ALL, maxRetainedBytes });

        const [wide, narrow] = [await bound(2.1 * large), await bound(1.1 * large)];

        expect(wide).toEqual({ removed: [], releasedInputs: [] });
        expect(narrow).toEqual({ removed: [1, 2, 3], releasedInputs: [ONE_INPUT] });
        expect((await bound(0)).releasedInputs).toEqual([OTHER_INPUT]);
      });

      test('an image that another scope submits too changes nothing for the first scope', async () => {
        const first = await ended({ request: editOf([ONE_INPUT]) });
        const before = await store.changes('anonymous');
        const other = await ended(
          { request: editOf([ONE_INPUT]), scope: 'other' },
          CREATED_SECS + 9,
        );
        await store.update('other', other.id, { atSecs: LATER, favorite: true });
        await store.update('other', other.id, { atSecs: LATER, favorite: false });

        expect(await store.changes('anonymous')).toEqual(before);
        expect(await read('anonymous', first.id)).toEqual(first);
      });

      test('a stored image of a favourite is kept and does not count, until the mark is removed', async () => {
        const large = 1_000_000;
        const request = editOf([ONE_INPUT], large);
        const favorite = await ended({ request }, CREATED_SECS + 1);
        await store.update(favorite.scope, favorite.id, { atSecs: LATER, favorite: true });
        await ended({ request }, CREATED_SECS + 2);
        const rule = { ...KEEP_ALL, maxRetainedBytes: 0.5 * large };

        const kept = await store.prune(rule);
        const again = await store.prune(rule);
        await store.update(favorite.scope, favorite.id, { atSecs: LATER, favorite: false });
        const released = await store.prune(rule);

        expect([kept, again]).toEqual([
          { removed: [2], releasedInputs: [] },
          { removed: [], releasedInputs: [] },
        ]);
        expect(released).toEqual({ removed: [1], releasedInputs: [ONE_INPUT] });
      });
    });

    describe('listInputs', () => {
      test('every stored image is listed once, in the order of checksums', async () => {
        await ended({ request: editOf([OTHER_INPUT, ONE_INPUT], 7) });
        await submitted({ request: editOf([ONE_INPUT], 7), scope: 'other' });
        const pages = [];
        for (let after = ''; ; ) {
          const page = await store.listInputs({ after, limit: 1 });
          const [input] = page;
          if (input === undefined) break;
          pages.push(page);
          after = input.sha256;
        }

        expect(pages).toEqual([
          [{ sha256: ONE_INPUT, bytes: 7 }],
          [{ sha256: OTHER_INPUT, bytes: 7 }],
        ]);
      });
    });

    test('the totals count each job in its present status, its marks and its bytes', async () => {
      const { id, scope, sequence } = await submitted();
      const states = [await store.totals()];
      await store.claim(LATER);
      states.push(await store.totals());
      await store.settle(sequence, succeeded());
      states.push(await store.totals());
      await store.update(scope, id, { atSecs: LATER, favorite: true, deleted: true });
      states.push(await store.totals());
      await store.update(scope, id, { atSecs: LATER, favorite: false });
      await store.prune({ ...KEEP_ALL, maxRetained: 0 });
      states.push(await store.totals());

      const counted = states.map(({ byStatus, hidden, favorite }) => [
        ...[byStatus.queued, byStatus.running, byStatus.succeeded],
        ...[hidden, favorite],
      ]);
      expect(counted).toEqual([
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 1, 1, 1],
        [0, 0, 0, 0, 0],
      ]);
      const reserved = states.map(({ reservedBytes }) => reservedBytes);
      expect(reserved).toEqual([20_000, 20_000, 0, 0, 0]);
      const [atFirst = 0, , atEnd = 0, , atLast] = states.map(({ logicalBytes }) => logicalBytes);
      expect(atEnd).toBeGreaterThan(atFirst);
      expect(atLast).toBe(0);
    });

    test.each(['failed', 'cancelled', 'interrupted'] as const)(
      'the totals count a job that ended as %s',
      async (status) => {
        await inStatus(status);

        const { byStatus } = await store.totals();

        const none = {
          queued: 0,
          running: 0,
          succeeded: 0,
          failed: 0,
          cancelled: 0,
          interrupted: 0,
        };
        expect(byStatus).toEqual({ ...none, [status]: 1 });
      },
    );

    test('the totals of an empty store are zero', async () => {
      expect(await store.totals()).toEqual({
        byStatus: { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, interrupted: 0 },
        hidden: 0,
        favorite: 0,
        logicalBytes: 0,
        reservedBytes: 0,
      });
    });
  });
}
