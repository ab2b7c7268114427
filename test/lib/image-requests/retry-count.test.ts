import { describe, expect, it } from 'vitest';
import { toRetryCount } from '../../../lib/image-requests/retry-count.ts';

describe('toRetryCount', () => {
  it.each([
    ['0', 0],
    ['1', 1],
    ['12', 12],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1, 1', undefined],
    ['many', undefined],
    ['9'.repeat(400), undefined],
  ])('reads %s as %s', (header, count) => {
    expect(toRetryCount(header)).toBe(count);
  });
});
