import { describe, expect, it } from 'vitest';
import {
  EVERYTHING,
  type JobFilter,
  matchesFilter,
  toJobQuery,
} from '../../../dashboard/src/jobs/job-filter.ts';
import { summary } from '../support/job-summary.ts';

const CREATED = new Date(2026, 10, 28, 12).getTime() / 1000;
const job = summary({
  status: 'succeeded',
  prompt: 'A red fox',
  model: 'image-model',
  operation: 'edit',
  labels: ['spring'],
  size: 'auto',
  created: CREATED,
  artifacts: [{ id: 'a'.repeat(32), width: 1530, height: 1024, format: 'png', bytes: 1 }],
});

describe('matchesFilter', () => {
  it.each<[string, Partial<JobFilter>, boolean]>([
    ['the model', { model: 'image-model' }, true],
    ['another model', { model: 'other' }, false],
    ['the operation', { operation: 'edit' }, true],
    ['another operation', { operation: 'generate' }, false],
    ['a label', { label: 'spring' }, true],
    ['another label', { label: 'Spring' }, false],
    ['the size of the image', { size: '1530x1024' }, true],
    ['nearly the ratio of the image', { size: '3:2' }, true],
    ['another ratio', { size: '4:3' }, false],
    ['the date', { from: '2026-11-28', to: '2026-11-28' }, true],
    ['a later date', { from: '2026-11-29' }, false],
    ['an earlier date', { to: '2026-11-27' }, false],
    ['the words', { search: 'fox red' }, true],
    ['an excluded word', { search: 'fox -red' }, false],
  ])('compares %s', (_, filter, expected) => {
    expect(matchesFilter(job, { ...EVERYTHING, ...filter })).toBe(expected);
  });

  it('compares the requested size of a job without images', () => {
    const waiting = { ...job, artifacts: [], size: '1536x1024' };

    expect(matchesFilter(waiting, { ...EVERYTHING, size: '3:2' })).toBe(true);
    expect(matchesFilter({ ...waiting, size: 'auto' }, { ...EVERYTHING, size: '3:2' })).toBe(false);
  });
});

describe('toJobQuery', () => {
  it('has the visibility alone if nothing is filtered', () => {
    expect(toJobQuery(EVERYTHING)).toEqual({ visibility: 'active' });
  });

  it('turns dates into times, and includes the last date', () => {
    const { created_after, created_before } = toJobQuery({
      ...EVERYTHING,
      from: '2026-11-27',
      to: '2026-11-28',
    });

    expect(created_after).toBe(new Date(2026, 10, 27).getTime() / 1000);
    expect(created_before).toBe(new Date(2026, 10, 29).getTime() / 1000);
  });
});
