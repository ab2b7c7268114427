import { describe, expect, it } from 'vitest';
import { tileRatio } from '../../../../dashboard/src/gallery/layout/row-layout.ts';
import { artifacts, summary } from '../../support/job-summary.ts';

describe('tileRatio', () => {
  it.each([
    ['one image', 1, 1.5],
    ['two, beside each other', 2, 3],
    ['three: one large, two small beside it', 3, 2.25],
    ['four, in two rows', 4, 1.5],
    ['nine, of which four are seen', 9, 1.5],
  ])('follows the images: %s', (_what, count, ratio) => {
    const job = summary({ status: 'succeeded', artifacts: artifacts(count, 1536, 1024) });
    expect(tileRatio(job)).toBe(ratio);
  });

  it.each(['queued', 'running'] as const)('is the shape to come while the job is %s', (status) => {
    expect(tileRatio(summary({ status, size: '1024x1536' }))).toBeCloseTo(2 / 3);
    expect(tileRatio(summary({ status, size: '1024x1024', outputs: 2 }))).toBe(2);
    expect(tileRatio(summary({ status, size: 'auto' }))).toBe(1.5);
  });

  it.each(['failed', 'cancelled', 'interrupted'] as const)('is 3:2 for a %s job', (status) => {
    expect(tileRatio(summary({ status, size: '1024x1536' }))).toBe(1.5);
  });

  it('is never so narrow or so wide that nothing can be seen', () => {
    const of = (width: number, height: number) =>
      tileRatio(summary({ status: 'succeeded', artifacts: artifacts(1, width, height) }));
    expect(of(100, 10_000)).toBe(0.5);
    expect(of(10_000, 100)).toBe(3);
  });
});
