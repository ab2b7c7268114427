import { describe, expect, it } from 'vitest';
import { neighboursOf } from '../../../../dashboard/src/job/state/neighbours.ts';

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
