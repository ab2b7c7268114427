import { describe, expect, it } from 'vitest';
import type { JobBatch } from '../../../lib/contract/resources/job-batch.ts';
import {
  type Change,
  marksFor,
  type Target,
  toBefore,
  toResult,
} from '../../../lib/jobs/job-batch-changes.ts';

const QUEUED: Target = {
  id: 'a',
  status: 'queued',
  favorite: false,
  labels: ['lake'],
  priority: 0,
  cancelRequested: false,
};
const ENDED: Target = { ...QUEUED, status: 'succeeded' };

function body(action: JobBatch['action'], more: Partial<JobBatch> = {}): JobBatch {
  return { action, running: false, add_labels: [], remove_labels: [], ...more };
}

describe('marksFor', () => {
  it.each([
    ['cancels a queued job', QUEUED, body('cancel'), undefined],
    ['skips the cancellation of an ended job', ENDED, body('cancel'), 'ended'],
    [
      'skips a second cancellation',
      { ...QUEUED, cancelRequested: true },
      body('cancel'),
      'unchanged',
    ],
    ['hides an ended job', ENDED, body('hide'), { deleted: true }],
    ['hides no queued job', QUEUED, body('hide'), 'not_ended'],
    ['restores a hidden job', { ...ENDED, deletedSecs: 7 }, body('restore'), { deleted: false }],
    ['restores no visible job', ENDED, body('restore'), 'unchanged'],
    ['marks a favourite', ENDED, body('favorite'), { favorite: true }],
    ['marks no favourite again', { ...ENDED, favorite: true }, body('favorite'), 'unchanged'],
    [
      'replaces labels in their order',
      ENDED,
      body('label', { add_labels: ['sea', 'sky'], remove_labels: ['lake'] }),
      { labels: ['sea', 'sky'] },
    ],
    ['adds no label twice', ENDED, body('label', { add_labels: ['lake'] }), 'unchanged'],
    [
      'skips a job that would have too many labels',
      ENDED,
      body('label', { add_labels: Array.from({ length: 16 }, (_, nth) => `label ${nth}`) }),
      'too_many_labels',
    ],
    [
      'changes the priority of a queued job',
      QUEUED,
      body('priority', { priority: 5 }),
      { priority: 5 },
    ],
    [
      'changes the priority of no ended job',
      ENDED,
      body('priority', { priority: 5 }),
      'not_queued',
    ],
  ])('%s', (_, target: Target, batch, expected) => {
    expect(marksFor(target, batch)).toEqual(expected);
  });
});

it('toBefore keeps only the values that an undo cannot derive from the action', () => {
  expect(toBefore(QUEUED, { labels: ['sea'] })).toEqual({ id: 'a', labels: ['lake'] });
  expect(toBefore(QUEUED, { priority: 5 })).toEqual({ id: 'a', priority: 0 });
  expect(toBefore(QUEUED, { favorite: true })).toEqual({ id: 'a' });
});

it('toResult counts all skipped jobs by reason, and lists the first 20 ids of each reason', () => {
  const skipped = Array.from(
    { length: 21 },
    (_, nth): Change => ({ id: `${nth}`, reason: 'ended' }),
  );
  const changes: readonly Change[] = [{ before: { id: 'a' } }, ...skipped];

  expect(toResult(changes)).toEqual({
    done: 1,
    skipped: [{ reason: 'ended', count: 21, ids: skipped.slice(0, 20).map((_, nth) => `${nth}`) }],
  });
});
