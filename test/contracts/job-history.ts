import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OWN_PROVIDER } from '../../lib/contract/request/own-work.ts';
import { type JobHistoryStore, PERIOD_SECS } from '../../lib/jobs/job-history-port.ts';
import type { JobFilter, JobStore, NewJob } from '../../lib/jobs/job-store-port.ts';
import { jobRequest, newJob, succeeded, WIDE } from '../support/jobs.ts';

interface Opened {
  readonly history: JobHistoryStore;
  readonly jobs: JobStore;
  close(): Promise<void>;
}

const SCOPE = 'anonymous';
const DAY = Math.floor(1_700_000_000 / 86_400) * 86_400;
const ACTIVE: JobFilter = { visibility: 'active' };

/** The contract of every store of the job history. */
export function describeJobHistory(label: string, open: () => Promise<Opened>): void {
  describe(`JobHistoryStore: ${label}`, () => {
    let opened: Opened;
    let history: JobHistoryStore;

    beforeEach(async () => {
      opened = await open();
      history = opened.history;
    });
    afterEach(() => opened.close());

    async function submitted(prompt: string, more: Partial<NewJob> = {}) {
      const job = newJob({ ...more, request: jobRequest({ prompt }) });
      return (await opened.jobs.submit(job, WIDE)).job;
    }

    /** Adds a hidden job. No other job may be queued. */
    async function hidden(prompt: string, more: Partial<NewJob> = {}) {
      const job = await submitted(prompt, more);
      await opened.jobs.claim(DAY);
      await opened.jobs.settle(job.sequence, succeeded());
      await opened.jobs.update(SCOPE, job.id, { atSecs: DAY, deleted: true });
      return job;
    }

    test('the jobs of each period are counted under every kind of filter, newest first', async () => {
      await hidden('a hen', { createdSecs: DAY });
      await submitted('a fox', { createdSecs: DAY, labels: ['cats'] });
      await submitted('a fox', { createdSecs: DAY + PERIOD_SECS - 1, size: '1536x1024' });
      const last = await submitted('a cat', {
        createdSecs: DAY + PERIOD_SECS,
        provider: 'comfy',
        group: { id: 'lake', row: 0, column: 0 },
      });
      await submitted('a dog', { scope: 'other', createdSecs: DAY });
      const counted = async (filter: Partial<JobFilter>) => {
        const periods = await history.countPeriods(SCOPE, { filter: { ...ACTIVE, ...filter } }, 9);
        return periods.map(({ startSecs, count }) => [startSecs - DAY, count]);
      };

      expect(await counted({})).toEqual([
        [PERIOD_SECS, 1],
        [0, 2],
      ]);
      expect(await counted({ visibility: 'all' })).toEqual([
        [PERIOD_SECS, 1],
        [0, 3],
      ]);
      expect(await counted({ visibility: 'hidden' })).toEqual([[0, 1]]);
      expect(await counted({ status: 'queued', favorite: false })).toHaveLength(2);
      expect(await counted({ label: 'cats' })).toEqual([[0, 1]]);
      expect(await counted({ group: 'lake' })).toEqual([[PERIOD_SECS, 1]]);
      expect(await counted({ provider: 'comfy' })).toEqual([[PERIOD_SECS, 1]]);
      expect(await counted({ size: { kind: 'ratio', width: 3, height: 2 } })).toEqual([[0, 1]]);
      expect(await counted({ createdBeforeSecs: DAY })).toEqual([]);
      expect(await history.countPeriods(SCOPE, { filter: ACTIVE }, 1)).toEqual([
        { startSecs: DAY + PERIOD_SECS, count: 1 },
      ]);
      const selection = { sequences: [last.sequence, 900] };
      expect(await history.countPeriods(SCOPE, selection, 9)).toEqual([
        { startSecs: DAY + PERIOD_SECS, count: 1 },
      ]);
      expect(await history.countPeriods('other', selection, 9)).toEqual([]);
    });

    test('the different prompts are listed with their newest jobs, in pages', async () => {
      await hidden('a hen');
      const fox = await submitted('a fox');
      await submitted('a cat');
      const cat = await submitted('a cat');
      const upper = await submitted('A cat');
      await submitted('a dog', { scope: 'other' });
      const listed = async (page: { newest?: number; before?: number; limit?: number }) => {
        const { items, more } = await history.listPrompts(
          SCOPE,
          { filter: ACTIVE },
          { newest: 100, limit: 10, ...page },
        );
        return { items: items.map(({ prompt, count, job }) => [prompt, count, job.id]), more };
      };

      const all = [
        ['A cat', 1, upper.id],
        ['a cat', 2, cat.id],
        ['a fox', 1, fox.id],
      ];
      expect(await listed({})).toEqual({ items: all, more: false });
      expect(await listed({ limit: 2 })).toEqual({ items: all.slice(0, 2), more: true });
      expect(await listed({ limit: 2, before: cat.sequence })).toEqual({
        items: all.slice(2),
        more: false,
      });
      expect(await listed({ newest: 2 })).toEqual({
        items: [
          ['A cat', 1, upper.id],
          ['a cat', 1, cat.id],
        ],
        more: false,
      });
      const { items } = await history.listPrompts(
        SCOPE,
        { sequences: [fox.sequence, cat.sequence, 900] },
        { newest: 100, limit: 10 },
      );
      expect(items.map(({ prompt }) => prompt)).toEqual(['a cat', 'a fox']);
    });

    test('the prompt of a crop is not listed, because nobody has written the prompt', async () => {
      await submitted('a fox');
      await submitted('Crop', { provider: OWN_PROVIDER });
      const page = { newest: 9, limit: 9 };

      const { items } = await history.listPrompts(SCOPE, { filter: ACTIVE }, page);

      expect(items.map(({ prompt }) => prompt)).toEqual(['a fox']);
    });

    test('a prompt is returned whole, and its job as in lists', async () => {
      const prompt = 'fox '.repeat(200);
      const { id } = await submitted(prompt);

      const { items } = await history.listPrompts(
        SCOPE,
        { filter: ACTIVE },
        { newest: 9, limit: 9 },
      );

      expect(items[0]?.prompt).toBe(prompt);
      expect(items[0]?.job).toMatchObject({ id, prompt: prompt.slice(0, 256), status: 'queued' });
    });

    test('the labels of visible jobs are counted, the most used label first', async () => {
      await hidden('a hen', { labels: ['cats', 'gone'] });
      await submitted('a fox', { labels: ['cats', 'poster'] });
      await submitted('a cat', { labels: ['poster'] });
      await submitted('a dog', { scope: 'other', labels: ['dogs'] });

      expect(await history.countLabels(SCOPE, 9)).toEqual([
        { label: 'poster', count: 2 },
        { label: 'cats', count: 1 },
      ]);
      expect(await history.countLabels(SCOPE, 1)).toEqual([{ label: 'poster', count: 2 }]);
    });
  });
}
