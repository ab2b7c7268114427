import { describe, expect, it } from 'vitest';
import { alphaVerdict } from '../../../../lib/images/decode/inspect-image.ts';

describe('alphaVerdict', () => {
  it.each([
    ['opaque', [255]],
    ['opaque', [255, 255, 255]],
    ['empty', [0]],
    ['empty', [0, 0, 0]],
    ['some', [128]],
    ['some', [128, 128]],
    ['some', [255, 255, 254]],
    ['some', [254, 255, 255]],
    ['some', [0, 0, 255]],
    ['some', [255, 0, 0]],
  ])('is %s for %j', (verdict, plane) => {
    expect(alphaVerdict(Buffer.from(plane))).toBe(verdict);
  });

  it('checks every value, including the last of a million values', () => {
    const plane = Buffer.alloc(1_000_000, 255);
    plane[999_999] = 254;

    expect(alphaVerdict(plane)).toBe('some');
  });
});
