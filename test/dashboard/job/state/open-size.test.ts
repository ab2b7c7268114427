import { describe, expect, it } from 'vitest';
import { openSize } from '../../../../dashboard/src/job/state/open-size.ts';
import { detail } from '../../support/job-detail.ts';

const { parameters } = detail().request;

describe('openSize', () => {
  it('is the size that was asked for', () => {
    expect(openSize(detail())).toEqual({ width: 1536, height: 1024 });
  });

  it('has the shape that was asked for', () => {
    const { width, height } = openSize(
      detail({}, { parameters: { ...parameters, size: 'auto', aspect_ratio: '16:9' } }),
    );

    expect(width / height).toBeCloseTo(16 / 9, 2);
  });

  it('is 3:2 where the model chooses', () => {
    const { width, height } = openSize(detail({}, { parameters: { ...parameters, size: 'auto' } }));

    expect(width / height).toBe(1.5);
  });
});
