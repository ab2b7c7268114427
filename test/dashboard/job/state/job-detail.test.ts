import { describe, expect, it } from 'vitest';
import { withLatest } from '../../../../dashboard/src/job/state/job-detail.ts';
import { detail, result } from '../../support/job-detail.ts';
import { summary } from '../../support/job-summary.ts';

const LATER = 1_780_000_005;

describe('withLatest', () => {
  it('takes over the progress of an open job', () => {
    const progress = { stage: 'generating', partial_images: 1 } as const;

    const job = withLatest(detail(), summary({ status: 'running', updated: LATER, progress }));

    expect(job).toMatchObject({ status: 'running', progress });
  });

  it('waits for the result before it says that a job has ended', () => {
    const job = detail({ status: 'running' });

    expect(withLatest(job, summary({ status: 'succeeded', updated: LATER }))).toBe(job);
  });

  it('does not go back from the end', () => {
    const job = detail({ status: 'succeeded', result: result(1) });

    expect(withLatest(job, summary({ status: 'running' }))).toBe(job);
  });

  it('takes over that a job was hidden and restored', () => {
    const ended = summary({ status: 'succeeded', updated: LATER });
    const hidden = detail({ status: 'succeeded', deleted: 1_780_000_001 });

    expect(withLatest(detail({ status: 'succeeded' }), { ...ended, deleted: LATER }).deleted).toBe(
      LATER,
    );
    expect(withLatest(hidden, ended)).not.toHaveProperty('deleted');
  });

  it('ignores what is older than the job', () => {
    const job = detail({ status: 'succeeded', favorite: true, updated: LATER });

    expect(withLatest(job, summary({ status: 'succeeded', favorite: false }))).toBe(job);
  });
});
