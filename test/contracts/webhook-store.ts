import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobStore, NewJob } from '../../lib/jobs/job-store-port.ts';
import type { WebhookStore } from '../../lib/webhooks/webhook-store-port.ts';
import { CANCELLATION, CREATED_SECS, FAILURE, newJob, succeeded, WIDE } from '../support/jobs.ts';

interface Opened {
  readonly store: WebhookStore;
  /** The jobs of the same state. */
  readonly jobs: JobStore;
  /** Another store on the same state, after the first one has been closed. */
  reopen(): Promise<WebhookStore>;
  close(): Promise<void>;
}

const HOST = 'hooks.test:8443';
const URL = `https://${HOST}/ends`;
const ENDS = ['succeeded', 'failed', 'cancelled', 'interrupted'] as const;
const LATER = CREATED_SECS + 100;
const LATER_MS = LATER * 1000;

/** The contract of every store of webhooks. */
export function describeWebhookStore(label: string, open: () => Promise<Opened>): void {
  describe(`WebhookStore: ${label}`, () => {
    let opened: Opened;
    let store: WebhookStore;
    let jobs: JobStore;

    beforeEach(async () => {
      opened = await open();
      ({ store, jobs } = opened);
    });
    afterEach(() => opened.close());

    async function running(overrides: Partial<NewJob> = {}) {
      const webhook = { url: URL, events: [...ENDS] };
      await jobs.submit(newJob({ webhook, ...overrides }), WIDE);
      const job = await jobs.claim(CREATED_SECS + 1);
      if (!job) throw new Error('nothing was claimed');
      return job;
    }

    async function ended(completedSecs = LATER, overrides: Partial<NewJob> = {}) {
      const job = await running(overrides);
      await jobs.settle(job.sequence, succeeded(completedSecs));
      return job;
    }

    const claim = (limit = 10, nowMs = LATER_MS, host = HOST) =>
      store.claim({ host, nowMs, untilMs: LATER_MS + 20_000, limit });

    /** Resolves with the time when the first webhook of any host is due. */
    const nextDueMs = async () => (await store.listQueues())[0]?.dueMs;

    const webhookOf = async ({ scope, id }: { scope: string; id: string }) =>
      (await jobs.find(scope, id))?.webhook;

    test('no webhook is due before its job has ended', async () => {
      const job = await running();

      expect(await nextDueMs()).toBeUndefined();
      expect(await claim()).toEqual([]);
      expect(await webhookOf(job)).toEqual({
        url: URL,
        events: [...ENDS],
        state: 'waiting',
        attempts: 0,
      });
    });

    test('a webhook is due with the commit that ends its job', async () => {
      const { sequence, id, scope } = await ended();

      expect(await nextDueMs()).toBe(LATER_MS);
      expect(await claim()).toEqual([{ sequence, jobId: id, scope, url: URL, attempts: 0 }]);
    });

    test.each(['failed', 'cancelled', 'interrupted'] as const)(
      'an end as %s is due too',
      async (status) => {
        const { sequence } = await running();

        await jobs.settle(sequence, { status, completedSecs: LATER, error: FAILURE });

        expect(await claim()).toMatchObject([{ sequence }]);
      },
    );

    test('the webhook of a cancelled queued job is due', async () => {
      const webhook = { url: URL, events: ['cancelled' as const] };
      const { job } = await jobs.submit(newJob({ webhook }), WIDE);

      await jobs.cancel(job.scope, job.id, {
        atSecs: LATER,
        error: CANCELLATION,
        inFlight: 'stop',
      });

      expect(await claim()).toMatchObject([{ jobId: job.id }]);
    });

    test('the webhook of an abandoned job is due when the job is interrupted', async () => {
      const job = await running();
      store = await opened.reopen();
      jobs = opened.jobs;

      await jobs.interruptAbandoned({ atSecs: LATER, error: FAILURE });

      expect(await claim()).toMatchObject([{ jobId: job.id }]);
    });

    test('a webhook is never due if the end is not among its events', async () => {
      const job = await ended(LATER, { webhook: { url: URL, events: ['failed', 'cancelled'] } });

      expect(await nextDueMs()).toBeUndefined();
      expect(await webhookOf(job)).toMatchObject({ state: 'waiting' });
    });

    test('nothing is due for a job without a webhook', async () => {
      const job = await ended(LATER, { webhook: undefined });

      expect(await nextDueMs()).toBeUndefined();
      expect(await webhookOf(job)).toBeUndefined();
    });

    test('webhooks are claimed up to the limit, earliest due first', async () => {
      const second = await ended(LATER - 5);
      const first = await ended(LATER - 9);
      await ended(LATER);

      const claimed = await claim(2);

      expect(new Set(claimed.map(({ jobId }) => jobId))).toEqual(new Set([first.id, second.id]));
    });

    test('each host has its own queue', async () => {
      const other = 'https://other.test/';
      const events = ['succeeded' as const];
      await ended(LATER - 3, { webhook: { url: `${other}one`, events } });
      const first = await ended(LATER - 9, { webhook: { url: `${other}two`, events } });
      const { id } = await ended(LATER - 5);

      expect(await store.countPending()).toBe(3);
      expect(await store.listQueues()).toEqual([
        { host: HOST, dueMs: LATER_MS - 5000 },
        { host: 'other.test', dueMs: LATER_MS - 9000 },
      ]);
      expect(await claim(1, LATER_MS, 'other.test')).toMatchObject([{ jobId: first.id }]);
      expect(await claim()).toMatchObject([{ jobId: id }]);
      expect(await store.listQueues()).toEqual([
        { host: HOST, dueMs: LATER_MS + 20_000 },
        { host: 'other.test', dueMs: LATER_MS - 3000 },
      ]);
    });

    test('a claimed webhook is due again when the claim ends, also in another process', async () => {
      const { id } = await ended();
      await claim();

      expect(await claim()).toEqual([]);
      expect(await nextDueMs()).toBe(LATER_MS + 20_000);
      store = await opened.reopen();
      expect(await claim(10, LATER_MS + 20_000)).toMatchObject([{ jobId: id, attempts: 0 }]);
    });

    test('a delivered webhook is never due again', async () => {
      const job = await ended();
      await claim();

      await store.settle(job.sequence, { state: 'delivered', lastStatus: 204 });

      expect(await nextDueMs()).toBeUndefined();
      expect(await webhookOf(job)).toMatchObject({
        state: 'delivered',
        attempts: 1,
        lastStatus: 204,
      });
    });

    test('a webhook to retry is due at its time, with the number of its attempts', async () => {
      const job = await ended();
      const dueMs = LATER_MS + 5000;
      await claim();

      await store.settle(job.sequence, { state: 'pending', lastStatus: undefined, dueMs });

      expect(await nextDueMs()).toBe(dueMs);
      expect(await claim(10, dueMs - 1)).toEqual([]);
      expect(await claim(10, dueMs)).toMatchObject([{ attempts: 1 }]);
      expect(await webhookOf(job)).toEqual({
        url: URL,
        events: [...ENDS],
        state: 'pending',
        attempts: 1,
      });
    });

    test('a released webhook is due at once, without an attempt', async () => {
      const { sequence } = await ended();
      await claim();

      await store.putBack(sequence, LATER_MS + 1);

      expect(await claim(10, LATER_MS + 1)).toMatchObject([{ sequence, attempts: 0 }]);
    });

    test('a repeated outcome changes nothing', async () => {
      const job = await ended();
      await store.settle(job.sequence, { state: 'delivered', lastStatus: 200 });

      await store.settle(job.sequence, { state: 'failed', lastStatus: 410 });

      expect(await webhookOf(job)).toMatchObject({ state: 'delivered', attempts: 1 });
    });

    test('an overlong history keeps jobs with pending webhooks until they are too old', async () => {
      const pending = await ended(LATER);
      const done = await ended(LATER + 1);
      await store.settle(done.sequence, { state: 'delivered', lastStatus: 200 });
      const none = { maxRetained: 0, maxRetainedBytes: 0, batch: 10 };

      const { removed } = await jobs.prune({ ...none, completedBeforeSecs: 0 });
      const later = await jobs.prune({ ...none, completedBeforeSecs: LATER + 1 });

      expect(removed).toEqual([done.sequence]);
      expect(later.removed).toEqual([pending.sequence]);
      expect(await nextDueMs()).toBeUndefined();
    });

    test('jobs after those with pending webhooks are still removed from the history', async () => {
      for (const nth of [1, 2, 3]) await ended(LATER + nth);
      const done = await ended(LATER + 4, { webhook: undefined });
      const rule = { maxRetained: 0, maxRetainedBytes: 0, completedBeforeSecs: 0, batch: 2 };

      const first = await jobs.prune(rule);
      const second = await jobs.prune({ ...rule, after: first.next });
      const third = await jobs.prune({ ...rule, after: second.next });

      expect([first.removed, second.removed, third.removed]).toEqual([[], [done.sequence], []]);
      expect(third.next).toBeUndefined();
    });

    test('the size of a webhook counts towards the size limit of jobs', async () => {
      await running({ webhook: undefined });
      const { logicalBytes } = await jobs.totals();

      await jobs.submit(newJob({ webhook: { url: URL, events: [...ENDS] } }), WIDE);

      const { logicalBytes: after } = await jobs.totals();
      expect(after - 2 * logicalBytes).toBe(URL.length);
    });
  });
}
