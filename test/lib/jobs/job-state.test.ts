import { describe, expect, test } from 'vitest';
import { JOB_STATUSES } from '../../../lib/contract/resources/job.ts';
import { isTerminal, mayBecome } from '../../../lib/jobs/job-state.ts';

describe('mayBecome', () => {
  test('it allows the transitions of the contract and no other', () => {
    const allowed = JOB_STATUSES.flatMap((from) =>
      JOB_STATUSES.filter((to) => mayBecome(from, to)).map((to) => `${from} to ${to}`),
    );

    expect(allowed).toEqual([
      'queued to running',
      'queued to cancelled',
      'running to succeeded',
      'running to failed',
      'running to cancelled',
      'running to interrupted',
    ]);
  });
});

describe('isTerminal', () => {
  test('every status but queued and running is an end', () => {
    expect(JOB_STATUSES.filter(isTerminal)).toEqual([
      'succeeded',
      'failed',
      'cancelled',
      'interrupted',
    ]);
  });
});
