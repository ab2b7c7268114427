import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactStore } from '../../lib/artifacts/artifact-store-port.ts';
import type { JobNotice, JobNotices, JobProgressStore } from '../../lib/jobs/job-notices-port.ts';
import type { JobStore } from '../../lib/jobs/job-store-port.ts';
import type { QueueStore } from '../../lib/jobs/queue-store-port.ts';
import { CANCELLATION, CREATED_SECS, jobResult, newJob, succeeded, WIDE } from '../support/jobs.ts';

/** The ports of one process. */
export interface NoticePorts {
  readonly jobs: JobStore;
  readonly queue: QueueStore;
  readonly notices: JobNotices;
  readonly progress: JobProgressStore;
}

interface Opened {
  readonly ports: NoticePorts;
  /** The ports of a second process that receives the notices of the first, or of the same process if there is only one. */
  readonly reader: Pick<NoticePorts, 'jobs' | 'notices' | 'progress'>;
  /** The artifacts of the first process. */
  readonly artifacts: Pick<ArtifactStore, 'claim'>;
  close(): Promise<void>;
}

const LATER = CREATED_SECS + 100;
const CANCEL = { atSecs: LATER, error: CANCELLATION, inFlight: 'stop' } as const;
const CHANGED: JobNotice = { type: 'changed', scope: 'anonymous' };
const PROGRESS = { stage: 'generating', partial_images: 1, finished_images: 2 } as const;
const PARTIAL = {
  image: { bytes: Buffer.from('pixels'), format: 'png' },
  partialIndex: 0,
} as const;

/** The contract of the notices of every state, and of the progress of running jobs. */
export function describeJobNotices(label: string, open: () => Promise<Opened>): void {
  describe(`JobNotices: ${label}`, () => {
    let ports: NoticePorts;
    let reader: Opened['reader'];
    let artifacts: Opened['artifacts'];
    let close: () => Promise<void>;
    let seen: JobNotice[];

    beforeEach(async () => {
      ({ ports, reader, artifacts, close } = await open());
      seen = [];
      reader.notices.subscribe((notice) => {
        // Notices may be lost at any time, so that `missed` may arrive at any time.
        if (notice.type !== 'missed') seen.push(notice);
      });
    });
    afterEach(() => close());

    async function submitted(overrides: Parameters<typeof newJob>[0] = {}) {
      return (await ports.jobs.submit(newJob(overrides), WIDE)).job;
    }

    async function running() {
      await submitted();
      const job = await ports.jobs.claim(CREATED_SECS + 1);
      if (!job?.request) throw new Error('nothing was claimed');
      return job;
    }

    /** Resolves with the notices of `change`, in the order of their arrival. */
    async function noticesOf(change: () => Promise<unknown>): Promise<readonly JobNotice[]> {
      const arrived = () => seen.some(({ type }) => type === 'resumed');
      for (const step of [async () => {}, change]) {
        seen.length = 0;
        await step();
        // This notice arrives after the notices of all earlier commits.
        await ports.queue.setPaused(false);
        await expect.poll(arrived).toBe(true);
      }
      return seen.slice(0, -1);
    }

    test('an added job is a change and can be claimed', async () => {
      const found = await noticesOf(() => submitted());

      expect(found).toEqual(
        expect.arrayContaining([CHANGED, { type: 'queued', count: 1, ownCount: 0 }]),
      );
    });

    test('jobs that are added together are all counted', async () => {
      const found = await noticesOf(() => Promise.all([1, 2, 3].map(() => submitted())));

      const counts = found.map((notice) => (notice.type === 'queued' ? notice.count : 0));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    });

    test('a repeated submission is not an added job', async () => {
      const key = { hash: 'a'.repeat(64), fingerprint: 'b'.repeat(64) };
      const submit = () => ports.jobs.submit(newJob(), { ...WIDE, key });
      await submit();

      const found = await noticesOf(submit);

      expect(found.filter(({ type }) => type === 'queued')).toEqual([]);
    });

    test('a claim is a change, and a claim without a job is not', async () => {
      await submitted();
      const claim = () => ports.jobs.claim(LATER);

      expect(await noticesOf(claim)).toEqual([CHANGED]);
      expect(await noticesOf(claim)).toEqual([]);
    });

    test('a stored end is a change and an end', async () => {
      const { id, sequence } = await running();

      const found = await noticesOf(() => ports.jobs.settle(sequence, succeeded()));

      expect(found).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining([CHANGED, { type: 'ended', id }]));
    });

    test('an end that the store refuses is neither', async () => {
      const { sequence } = await running();
      await ports.jobs.settle(sequence, succeeded());

      expect(await noticesOf(() => ports.jobs.settle(sequence, succeeded()))).toEqual([]);
    });

    test('a cancelled job that was queued has ended', async () => {
      const { scope, id } = await submitted();

      const found = await noticesOf(() => ports.jobs.cancel(scope, id, CANCEL));

      expect(found).toEqual(expect.arrayContaining([CHANGED, { type: 'ended', id }]));
    });

    test('the request to cancel a running job is a change and not an end', async () => {
      const { scope, id } = await running();

      const found = await noticesOf(() => ports.jobs.cancel(scope, id, CANCEL));

      expect(found).toContainEqual(CHANGED);
      expect(found.filter(({ type }) => type === 'ended')).toEqual([]);
    });

    test('a mark and a removal are changes', async () => {
      const { scope, id } = await submitted();
      await ports.jobs.cancel(scope, id, CANCEL);
      const none = { completedBeforeSecs: LATER + 1, maxRetained: 0, maxRetainedBytes: 0 };

      const marked = await noticesOf(() =>
        ports.jobs.update(scope, id, { atSecs: LATER, deleted: true }),
      );
      const removed = await noticesOf(() => ports.jobs.prune({ ...none, batch: 10 }));

      expect(marked).toEqual([CHANGED]);
      expect(removed.map(({ type }) => type)).toEqual(['changed']);
    });

    test('a pause is published', async () => {
      expect(await noticesOf(() => ports.queue.setPaused(true))).toEqual([{ type: 'paused' }]);
    });

    test('a mark of an image is a change', async () => {
      const { sequence, scope } = await running();
      const id = 'a'.repeat(32);
      const facts = { width: 640, height: 480, format: 'png', bytes: 9 } as const;
      const file = { name: `${id}.png`, sha256: 'ab'.repeat(32), createdSecs: CREATED_SECS };
      const output = { job: sequence, facts: { index: 0 } };
      await artifacts.claim([{ id, scope, ...facts, ...file }], output);
      const publications = [id];
      const result = jobResult(publications);
      const end = { status: 'succeeded', completedSecs: LATER, result, publications } as const;
      await ports.jobs.settle(sequence, end);
      const mark = { favorite: true, atSecs: LATER } as const;

      expect(await noticesOf(() => ports.jobs.markImage(scope, id, mark))).toEqual([CHANGED]);
    });

    test('a subscriber finds the change in the store', async () => {
      const { id, scope, sequence } = await running();
      const read = Promise.withResolvers<unknown>();
      reader.notices.subscribe((notice) => {
        if (notice.type === 'ended') read.resolve(reader.jobs.find(scope, id));
      });

      await ports.jobs.settle(sequence, succeeded());

      expect(await read.promise).toMatchObject({ status: 'succeeded' });
    });

    test('an ended subscription receives nothing', async () => {
      const received: JobNotice[] = [];
      const unsubscribe = reader.notices.subscribe((notice) => void received.push(notice));
      unsubscribe();

      await noticesOf(() => submitted());

      expect(received).toEqual([]);
    });

    describe('JobProgressStore', () => {
      async function begun() {
        const { id, scope, sequence } = await running();
        const job = { id, scope, sequence };
        ports.progress.begin(job, { stage: 'queued', partial_images: 0, finished_images: 0 });
        return job;
      }

      test('the latest state of a running job is found until the job ends', async () => {
        const job = await begun();
        ports.progress.report(job, {
          progress: { stage: 'dispatched', partial_images: 0, finished_images: 0 },
        });
        ports.progress.report(job, { progress: PROGRESS, partial: PARTIAL });
        ports.progress.report(job, {
          event: { type: 'progress', stage: 'generating', index: 1 },
        });
        const read = async () => [
          (await reader.progress.find([job.id, 'unknown'])).get(job.id),
          await reader.progress.findPartial(job.id),
        ];

        await expect.poll(read).toEqual([PROGRESS, PARTIAL]);
        ports.progress.remove(job);

        await expect.poll(read).toEqual([undefined, undefined]);
      });

      test('each state is published with the events of the job', async () => {
        const job = await begun();
        const event = { type: 'progress', stage: 'generating', index: 0 } as const;
        const waiting: JobNotice[] = [
          { type: 'happened', id: job.id, event },
          { type: 'advanced', job },
        ];

        ports.progress.report(job, { progress: PROGRESS, event });

        await expect.poll(() => seen).toEqual(expect.arrayContaining(waiting));
        expect((await reader.progress.find([job.id])).get(job.id)).toEqual(PROGRESS);
      });

      test('the first state and an unchanged progress publish nothing in a summary', async () => {
        const job = await begun();
        const event = { type: 'progress', stage: 'queued' } as const;

        ports.progress.report(job, { event });

        await expect.poll(() => seen).toContainEqual({ type: 'happened', id: job.id, event });
        expect(seen.filter(({ type }) => type === 'advanced')).toEqual([]);
      });
    });
  });
}
