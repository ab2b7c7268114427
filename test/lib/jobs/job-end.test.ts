import { describe, expect, test } from 'vitest';
import { JOB_STATUSES } from '../../../lib/contract/resources/job.ts';
import { isTerminal } from '../../../lib/jobs/job-end.ts';

describe('isTerminal', () => {
  test('every status except queued and running is terminal', () => {
    expect(JOB_STATUSES.filter(isTerminal)).toEqual([
      'succeeded',
      'failed',
      'cancelled',
      'interrupted',
    ]);
  });
});
