import { describe, expect, it } from 'vitest';
import {
  isTerminal,
  JOB_STATUSES,
  JobCreate,
  JobListQuery,
  JobPatch,
  JobQuery,
} from '../../../../lib/contract/resources/job.ts';
import { outputOf, verdictOf } from '../verdict-of.ts';

describe('JobListQuery', () => {
  it('selects the first twenty active jobs by default', () => {
    expect(outputOf(JobListQuery, {})).toEqual({ limit: 20, visibility: 'active' });
  });

  it('reads every filter', () => {
    const query = {
      limit: '100',
      cursor: 'abc',
      status: 'succeeded',
      visibility: 'hidden',
      favorite: 'false',
      search: '100%_',
    };

    expect(outputOf(JobListQuery, query)).toEqual({ ...query, limit: 100, favorite: false });
  });

  it('reads the filters by facts of the request', () => {
    const query = {
      model: 'sandbox-image',
      size: '3:2',
      operation: 'edit',
      created_after: '1700000000',
      created_before: '1700086400',
    };

    expect(outputOf(JobListQuery, query)).toMatchObject({
      ...{ model: 'sandbox-image', operation: 'edit' },
      size: { kind: 'ratio', width: 3, height: 2 },
      created_after: 1_700_000_000,
      created_before: 1_700_086_400,
    });
    expect(outputOf(JobListQuery, { size: '640x480' })).toMatchObject({
      size: { kind: 'pixels', width: 640, height: 480 },
    });
    expect(outputOf(JobListQuery, { size: 'auto' })).toMatchObject({ size: { kind: 'auto' } });
  });

  it.each([
    [{ include_deleted: 'true' }, 'all'],
    [{ include_deleted: 'false' }, 'active'],
    [{ include_deleted: 'true', visibility: 'hidden' }, 'hidden'],
  ])('reads %j as one visibility', (query, visibility) => {
    expect(outputOf(JobListQuery, query)).toEqual({ limit: 20, visibility });
  });

  it('counts the characters of a search as code points', () => {
    expect(verdictOf(JobListQuery, { search: '🐈'.repeat(256) })).toEqual([]);
  });

  it.each([
    [{ limit: '0' }, 'limit: out_of_range'],
    [{ limit: '101' }, 'limit: out_of_range'],
    [{ limit: '1.5' }, 'limit: out_of_range'],
    [{ limit: '0x10' }, 'limit: out_of_range'],
    [{ limit: ' 5' }, 'limit: out_of_range'],
    [{ limit: 'ten' }, 'limit: out_of_range'],
    [{ cursor: 'c'.repeat(1025) }, 'cursor: invalid_length'],
    [{ status: 'done' }, 'status: invalid_value'],
    [{ visibility: 'deleted' }, 'visibility: invalid_value'],
    [{ favorite: '1' }, 'favorite: invalid_value'],
    [{ favorite: 'TRUE' }, 'favorite: invalid_value'],
    [{ include_deleted: 'yes' }, 'include_deleted: invalid_value'],
    [{ search: '🐈'.repeat(257) }, 'search: invalid_length'],
    [{ search: 'a\u0000' }, 'search: invalid_text'],
    [{ q: '🐈'.repeat(257) }, 'q: invalid_length'],
    [{ q: 'a\u0000' }, 'q: invalid_text'],
    [{ q: 'a b c d e f g h i j k l m -n -o "p" q' }, 'q: too_many'],
    [{ total: 'yes' }, 'total: invalid_value'],
    [{ model: '' }, 'model: invalid_length'],
    [{ size: '3/2' }, 'size: invalid_value'],
    [{ size: '0:2' }, 'size: invalid_value'],
    [{ operation: 'draw' }, 'operation: invalid_value'],
    [{ created_after: '2026-11-28' }, 'created_after: out_of_range'],
    [{ created_before: '-1' }, 'created_before: out_of_range'],
    [{ offset: '5' }, 'offset: unknown_field'],
  ])('rejects %j', (query, verdict) => {
    expect(verdictOf(JobListQuery, query)).toEqual([verdict]);
  });
});

describe('JobCreate', () => {
  it.each([-100, 0, 100])('accepts the priority %i', (priority) => {
    expect(outputOf(JobCreate, { prompt: 'a fox', priority })).toMatchObject({ priority });
  });

  it.each([{}, { priority: null }])('has the priority 0 by default: %j', (more) => {
    expect(outputOf(JobCreate, { prompt: 'a fox', ...more })).toMatchObject({ priority: 0 });
  });

  it.each([
    [101, 'priority: out_of_range'],
    [-101, 'priority: out_of_range'],
    [0.5, 'priority: out_of_range'],
    ['1', 'priority: invalid_type'],
  ])('rejects the priority %j', (priority, verdict) => {
    expect(verdictOf(JobCreate, { prompt: 'a fox', priority })).toEqual([verdict]);
  });

  it('has no labels by default, and accepts labels', () => {
    expect(outputOf(JobCreate, { prompt: 'a fox' })).toMatchObject({ labels: [] });
    expect(outputOf(JobCreate, { prompt: 'a fox', labels: [' cats '] })).toMatchObject({
      labels: ['cats'],
    });
  });

  it('reports a bad label with its position', () => {
    expect(verdictOf(JobCreate, { prompt: 'a fox', labels: ['cats', 'a\nb'] })).toEqual([
      'labels[1]: invalid_text',
    ]);
  });

  it('checks the rules of a request', () => {
    expect(verdictOf(JobCreate, { prompt: 'a fox', operation: 'edit' })).toEqual([
      'images: invalid_combination',
    ]);
  });
});

describe('JobPatch', () => {
  it.each([
    [{ favorite: true }],
    [{ deleted: false }],
    [{ favorite: false, deleted: true }],
    [{ labels: [] }],
    [{ labels: ['cats'], favorite: true }],
  ])('takes %j', (patch) => {
    expect(outputOf(JobPatch, patch)).toEqual(patch);
  });

  it.each([
    [{}, [': required']],
    [{ favorite: null }, [': required']],
    [{ favorite: 'true' }, ['favorite: invalid_type']],
    [{ deleted: 1 }, ['deleted: invalid_type']],
    [{ labels: 'cats' }, ['labels: invalid_type']],
    [{ status: 'queued', favorite: true }, ['status: unknown_field']],
    [{ status: 'queued' }, [': required', 'status: unknown_field']],
    [[], [': invalid_type']],
    ['favorite', [': invalid_type']],
  ])('rejects %j', (patch, verdict) => {
    expect(verdictOf(JobPatch, patch)).toEqual(verdict);
  });
});

describe('JobQuery', () => {
  it.each([
    [{}, {}],
    [{ wait_ms: '0' }, { wait_ms: 0 }],
    [{ wait_ms: '30000' }, { wait_ms: 30_000 }],
  ])('takes %j', (query, output) => {
    expect(outputOf(JobQuery, query)).toEqual(output);
  });

  it.each(['-1', '30001', '1e3', '5s'])('rejects a wait of %s', (wait_ms) => {
    expect(verdictOf(JobQuery, { wait_ms })).toEqual(['wait_ms: out_of_range']);
  });
});

describe('isTerminal', () => {
  it('every status except queued and running is terminal', () => {
    expect(JOB_STATUSES.filter(isTerminal)).toEqual([
      'succeeded',
      'failed',
      'cancelled',
      'interrupted',
    ]);
  });
});
