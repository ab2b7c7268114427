import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { neighboursOf, watchNeighbours } from '../../../../dashboard/src/job/state/neighbours.ts';
import { EVERYTHING } from '../../../../dashboard/src/jobs/job-filter.ts';
import { summary } from '../../support/job-summary.ts';

const IDS = ['9', '7', '5', '3'];

describe('neighboursOf', () => {
  it.each([
    ['7', { newer: '9', older: '5' }],
    ['9', { newer: undefined, older: '7' }],
    ['3', { newer: '5', older: undefined }],
    ['6', { newer: '7', older: '5' }],
  ])('finds the neighbours of %s', (id, neighbours) => {
    expect(neighboursOf(IDS, id, true)).toEqual(neighbours);
  });

  it('returns no newer neighbour until the list reaches down to the job', () => {
    expect(neighboursOf(IDS, '1', false)).toEqual({ newer: undefined, older: undefined });
    expect(neighboursOf(IDS, '1', true)).toEqual({ newer: '3', older: undefined });
  });
});

describe('watchNeighbours', () => {
  it.each([
    [undefined, { newer: '9', older: '3' }],
    ['cancelled', { newer: '7', older: '5' }],
  ] as const)(
    'skips jobs that were cancelled while they waited unless the list has one state (%s)',
    (status, neighbours) => {
      const cancelled = summary({ status: 'cancelled' });
      const feed = signal({
        filter: { ...EVERYTHING, status },
        ids: signal(IDS),
        complete: signal(true),
        state: signal('ready' as const),
        loadMore: () => Promise.resolve(),
      });
      const jobs = { get: (id: string) => (id === '7' || id === '5' ? cancelled : undefined) };

      expect(watchNeighbours(jobs, feed, '6').neighbours.value).toEqual(neighbours);
    },
  );
});
