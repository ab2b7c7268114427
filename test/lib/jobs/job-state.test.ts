import { describe, expect, test } from 'vitest';
import { JOB_STATUSES } from '../../../lib/contract/resources/job.ts';
import { isTerminal } from '../../../lib/jobs/job-state.ts';

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
