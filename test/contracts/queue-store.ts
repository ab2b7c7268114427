import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OWN_PROVIDER } from '../../lib/contract/request/own-work.ts';
import type { JobStore } from '../../lib/jobs/job-store-port.ts';
import type { QueueStore } from '../../lib/jobs/queue-store-port.ts';
import { CREATED_SECS, FAILURE, newJob, succeeded, WIDE } from '../support/jobs.ts';

interface Opened {
  readonly queue: QueueStore;
  /** The jobs of this queue. */
  readonly jobs: JobStore;
  close(): Promise<void>;
}

const LIMITS = { waiting: 9, running: 9, ended: 9 };

const EMPTY = { paused: false, queued: 0, running: 0, byProvider: [] };

/** The contract of every queue store. */
export function describeQueueStore(label: string, open: () => Promise<Opened>): void {
  describe(`QueueStore: ${label}`, () => {
    let opened: Opened;

    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    async function submitted(overrides: Parameters<typeof newJob>[0] = {}) {
      return (await opened.jobs.submit(newJob(overrides), WIDE)).job;
    }

    test('an empty queue is not paused and has no oldest job', async () => {
      expect(await opened.queue.read()).toEqual(EMPTY);
    });

    test('active jobs of all scopes count with the provider of their plan', async () => {
      await submitted({ provider: 'comfy', createdSecs: CREATED_SECS + 5, priority: 9 });
      await submitted({ provider: 'sandbox', scope: 'other' });
      await submitted({ provider: 'comfy', createdSecs: CREATED_SECS + 7 });
      await opened.jobs.claim(CREATED_SECS + 9);

      expect(await opened.queue.read()).toEqual({
        paused: false,
        queued: 2,
        running: 1,
        oldestQueuedSecs: CREATED_SECS,
        byProvider: [
          { provider: 'comfy', queued: 1, running: 1 },
          { provider: 'sandbox', queued: 1, running: 0 },
        ],
      });
    });

    test('ended jobs do not count for any provider', async () => {
      const waiting = await submitted({ provider: 'comfy' });
      await opened.jobs.cancel('anonymous', waiting.id, {
        atSecs: CREATED_SECS,
        error: FAILURE,
        inFlight: 'stop',
      });
      await submitted({ provider: 'agent-responses' });
      await opened.jobs.settle((await opened.jobs.claim(CREATED_SECS))?.sequence ?? 0, succeeded());
      await submitted();
      await opened.jobs.settle((await opened.jobs.claim(CREATED_SECS))?.sequence ?? 0, {
        status: 'failed',
        completedSecs: CREATED_SECS,
        error: FAILURE,
      });

      expect(await opened.queue.read()).toEqual(EMPTY);
    });

    test('the active jobs of tokens are listed in all scopes, up to the limit', async () => {
      const submit = async (token: string, scope = 'anonymous') => {
        const reservation = { ...WIDE.reservation, token };
        return (await opened.jobs.submit(newJob({ scope }), { ...WIDE, reservation })).job;
      };
      const running = await submit('alice');
      const waiting = [await submit('alice', 'other'), await submit('bob')];
      await submit('carol');
      const ended = await submit('alice');
      await opened.jobs.claim(CREATED_SECS);
      const request = { atSecs: CREATED_SECS, error: FAILURE, inFlight: 'stop' } as const;
      await opened.jobs.cancel('anonymous', ended.id, request);
      const list = (limit = 9) => opened.queue.listActiveOf(['alice', 'bob', 'eve'], limit);
      const before = await list();

      await opened.jobs.cancel('anonymous', running.id, request);

      const named = (jobs: readonly { id: string; scope: string }[]) =>
        jobs.map(({ id, scope }) => `${scope} ${id}`).sort();
      expect(named(before)).toEqual(named([running, ...waiting]));
      expect(await list(2)).toHaveLength(2);
      // A running job with a requested cancellation is not listed again.
      expect(named(await list())).toEqual(named(waiting));
      expect(await opened.queue.listActiveOf([], 9)).toEqual([]);
    });

    test('queued and running jobs of all scopes are listed in pages, oldest first', async () => {
      const first = await submitted({ createdSecs: CREATED_SECS + 5 });
      const second = await submitted({ scope: 'other', priority: 9 });
      const ended = await submitted({ scope: 'third' });
      const third = await submitted({ scope: 'third' });
      await opened.jobs.claim(CREATED_SECS + 9);
      await opened.jobs.cancel('third', ended.id, {
        atSecs: CREATED_SECS,
        error: FAILURE,
        inFlight: 'stop',
      });

      const one = await opened.queue.list({ after: 0, limit: 2 });
      const two = await opened.queue.list({ after: second.sequence, limit: 2 });

      expect(one).toEqual({
        more: true,
        items: [
          {
            sequence: first.sequence,
            id: first.id,
            scope: 'anonymous',
            status: 'running',
            createdSecs: CREATED_SECS + 5,
            cancelRequested: false,
            token: '',
          },
          expect.objectContaining({ id: second.id, scope: 'other', status: 'queued' }),
        ],
      });
      expect(two).toMatchObject({ more: false, items: [{ id: third.id }] });
    });

    test('a job is found by its id in any scope while it is queued or running', async () => {
      const reservation = { ...WIDE.reservation, token: 'laptop' };
      const sent = newJob({ scope: 'other' });
      const { job } = await opened.jobs.submit(sent, { ...WIDE, reservation });

      const queued = await opened.queue.find(job.id);
      await opened.jobs.claim(CREATED_SECS);
      await opened.jobs.cancel('other', job.id, {
        atSecs: CREATED_SECS,
        error: FAILURE,
        inFlight: 'stop',
      });
      const running = await opened.queue.find(job.id);
      await opened.jobs.settle(job.sequence, succeeded());
      await opened.jobs.settle(job.sequence, {
        status: 'cancelled',
        completedSecs: CREATED_SECS,
        error: FAILURE,
      });

      expect(queued).toMatchObject({ scope: 'other', status: 'queued', token: 'laptop' });
      expect(running).toMatchObject({ status: 'running', cancelRequested: true });
      expect(await opened.queue.find(job.id)).toBeUndefined();
      expect(await opened.queue.find('no id')).toBeUndefined();
    });

    test('the outlook of a scope has its queued jobs in their order, and the turns and running jobs of all scopes', async () => {
      const reservation = { ...WIDE.reservation, token: 'laptop' };
      const sent = newJob({ size: '64x64', model: 'one' });
      await opened.jobs.submit(sent, { ...WIDE, reservation });
      await submitted({ scope: 'other' });
      const late = await submitted();
      const early = await submitted({ priority: 3 });
      await opened.jobs.update('anonymous', late.id, { atSecs: CREATED_SECS, priority: 4 });
      const running = await opened.jobs.claim(CREATED_SECS + 7);

      const outlook = await opened.queue.outlook('anonymous', LIMITS);
      const short = await opened.queue.outlook('anonymous', { ...LIMITS, waiting: 1, running: 0 });

      const work = { provider: 'sandbox', model: 'sandbox-image', size: '1024x1024', outputs: 1 };
      expect(running?.id).toBe(late.id);
      expect(outlook).toEqual({
        isPaused: false,
        turns: [
          { scope: 'other', queued: 1 },
          { scope: 'anonymous', queued: 2 },
        ],
        waiting: [
          { ...work, id: early.id, token: '' },
          { ...work, id: sent.id, token: 'laptop', model: 'one', size: '64x64' },
        ],
        running: [
          { ...work, id: late.id, token: '', scope: 'anonymous', startedSecs: CREATED_SECS + 7 },
        ],
        ended: [],
      });
      expect(short).toMatchObject({ waiting: [{ id: early.id }], running: [] });
    });

    test('the outlook has the durations of the latest succeeded jobs of all scopes, newest first', async () => {
      for (const [scope, secs] of [
        ['one', 3],
        ['two', 5],
        ['one', 8],
      ] as const) {
        const job = await submitted({ scope });
        await opened.jobs.claim(CREATED_SECS);
        await opened.jobs.settle(job.sequence, {
          ...succeeded(),
          completedSecs: CREATED_SECS + secs,
        });
      }
      const failed = await submitted();
      await opened.jobs.claim(CREATED_SECS);
      await opened.jobs.settle(failed.sequence, {
        status: 'failed',
        completedSecs: CREATED_SECS + 9,
        error: FAILURE,
      });

      const { ended } = await opened.queue.outlook('one', { ...LIMITS, ended: 3 });

      expect(ended.map(({ secs }) => secs)).toEqual([8, 5]);
    });

    test('no job of a paused queue is claimed until it is resumed', async () => {
      await opened.queue.setPaused(true);
      const job = await submitted();

      await submitted({ provider: OWN_PROVIDER });
      const paused = [
        await opened.jobs.claim(CREATED_SECS),
        await opened.jobs.claim(CREATED_SECS, { isOwnWork: true }),
        await opened.queue.read(),
      ];
      await opened.queue.setPaused(false);
      const claimed = await opened.jobs.claim(CREATED_SECS);

      expect(paused).toMatchObject([undefined, undefined, { paused: true, queued: 2, running: 0 }]);
      expect(claimed?.id).toBe(job.id);
    });

    test('no job is claimed while the maximum number of jobs runs', async () => {
      const [first] = [await submitted(), await submitted(), await submitted({ scope: 'other' })];

      const claimed = [
        await opened.jobs.claim(CREATED_SECS, { maxRunning: 2 }),
        await opened.jobs.claim(CREATED_SECS, { maxRunning: 2 }),
        await opened.jobs.claim(CREATED_SECS, { maxRunning: 2 }),
      ];
      await opened.jobs.settle(first.sequence, succeeded());
      const next = await opened.jobs.claim(CREATED_SECS, { maxRunning: 2 });

      expect(claimed.map((job) => job?.scope)).toEqual(['anonymous', 'other', undefined]);
      expect(next?.scope).toBe('anonymous');
    });

    test('a pause does not change running jobs', async () => {
      const job = await submitted();
      await opened.jobs.claim(CREATED_SECS);

      await opened.queue.setPaused(true);

      expect(await opened.jobs.settle(job.sequence, succeeded())).toBe(true);
    });
  });
}
