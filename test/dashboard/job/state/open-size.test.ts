import { describe, expect, it } from 'vitest';
import { openSize } from '../../../../dashboard/src/job/stage/geometry.ts';
import { detail } from '../../support/job-detail.ts';

const { parameters } = detail().request;

describe('openSize', () => {
  it('returns the requested size', () => {
    expect(openSize(detail())).toEqual({ width: 1536, height: 1024 });
  });

  it('returns the requested shape', () => {
    const { width, height } = openSize(
      detail({}, { parameters: { ...parameters, size: 'auto', aspect_ratio: '16:9' } }),
    );

    expect(width / height).toBeCloseTo(16 / 9, 2);
  });

  it('returns the size of the unfinished image if the model chooses the size', () => {
    const job = detail({}, { parameters: { ...parameters, size: 'auto' } });

    expect(openSize(job, { width: 400, height: 600 })).toEqual({ width: 400, height: 600 });
  });

  it('returns 3:2 if the model chooses the size', () => {
    const { width, height } = openSize(detail({}, { parameters: { ...parameters, size: 'auto' } }));

    expect(width / height).toBe(1.5);
  });
});
