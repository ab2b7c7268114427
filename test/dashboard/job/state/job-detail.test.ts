import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../../dashboard/src/connection/connection.ts';
import { createJobDetail, withLatest } from '../../../../dashboard/src/job/state/job-detail.ts';
import type { JobChange, Jobs } from '../../../../dashboard/src/jobs/jobs.ts';
import { detail, result } from '../../support/job-detail.ts';
import { summary } from '../../support/job-summary.ts';

const LATER = 1_780_000_005;

describe('createJobDetail', () => {
  it('reads a job again if it ended while it was being read', async () => {
    const replies = [detail({ status: 'running' }), detail({ status: 'cancelled' })];
    const listeners: ((change: JobChange) => void)[] = [];
    const jobs = {
      get: () => undefined,
      watch: () => undefined,
      subscribe: (listener: (change: JobChange) => void) => {
        listeners.push(listener);
        return () => {};
      },
      read: async () => replies.shift(),
    } as unknown as Jobs;
    const connection = { returns: signal(0) } as unknown as Connection;

    const { job, close } = createJobDetail({ jobs, connection }, detail().id);
    const ended = summary({ id: detail().id, status: 'cancelled', updated: LATER });
    for (const listener of listeners) listener({ kind: 'changed', job: ended, isNews: true });

    await expect.poll(() => job.value?.status).toBe('cancelled');
    close();
  });
});

describe('withLatest', () => {
  it('updates the progress of an open job', () => {
    const progress = { stage: 'generating', partial_images: 1, finished_images: 0 } as const;

    const job = withLatest(detail(), summary({ status: 'running', updated: LATER, progress }));

    expect(job).toMatchObject({ status: 'running', progress });
  });

  it('reports the end of a job only together with its result', () => {
    const job = detail({ status: 'running' });

    expect(withLatest(job, summary({ status: 'succeeded', updated: LATER }))).toBe(job);
  });

  it('keeps the end of a job', () => {
    const job = detail({ status: 'succeeded', result: result(1) });

    expect(withLatest(job, summary({ status: 'running' }))).toBe(job);
  });

  it('updates whether a job is hidden', () => {
    const ended = summary({ status: 'succeeded', updated: LATER });
    const hidden = detail({ status: 'succeeded', deleted: 1_780_000_001 });

    expect(withLatest(detail({ status: 'succeeded' }), { ...ended, deleted: LATER }).deleted).toBe(
      LATER,
    );
    expect(withLatest(hidden, ended)).not.toHaveProperty('deleted');
  });

  it('adds the job that retries a job, also if nothing else has changed', () => {
    const job = detail({ status: 'cancelled' });
    const retry = summary({ status: 'cancelled', retried_as: 'retry' });

    expect(withLatest(job, retry)).toEqual({ ...job, retried_as: 'retry' });
  });

  it('ignores a summary older than the job', () => {
    const job = detail({ status: 'succeeded', favorite: true, updated: LATER });

    expect(withLatest(job, summary({ status: 'succeeded', favorite: false }))).toBe(job);
  });
});
