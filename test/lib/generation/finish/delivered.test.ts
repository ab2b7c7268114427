import { describe, expect, it } from 'vitest';
import { toDelivered } from '../../../../lib/generation/finish/delivered.ts';
import { requestOf } from '../requests.ts';

const image = { format: 'png', width: 1024, height: 768, alpha: 'none' } as const;

describe('toDelivered', () => {
  it('has nothing to say of a request that left everything open', () => {
    expect(toDelivered(3, image, requestOf())).toEqual({
      index: 3,
      size: 'unspecified',
      format: 'unspecified',
      alpha: 'unspecified',
    });
  });

  it.each([
    ['1024x768', 'honoured'],
    ['768x1024', 'changed'],
    ['1024x769', 'changed'],
    ['auto', 'unspecified'],
  ])('says of the size %s that it was %s', (size, expected) => {
    expect(toDelivered(0, image, requestOf({ parameters: { size } })).size).toBe(expected);
  });

  it.each([
    ['png', 'honoured'],
    ['webp', 'changed'],
  ])('says of the format %s that it was %s', (output_format, expected) => {
    expect(toDelivered(0, image, requestOf({ parameters: { output_format } })).format).toBe(
      expected,
    );
  });

  it.each([
    ['auto', 'none', 'unspecified'],
    ['auto', 'some', 'unspecified'],
    ['opaque', 'none', 'honoured'],
    ['opaque', 'opaque', 'honoured'],
    ['opaque', 'some', 'changed'],
    ['opaque', 'empty', 'changed'],
    ['transparent', 'none', 'changed'],
    ['transparent', 'opaque', 'changed'],
    ['transparent', 'some', 'honoured'],
    ['transparent', 'empty', 'honoured'],
  ] as const)('says of the background %s with an alpha of %s that it was %s', (...row) => {
    const [background, alpha, expected] = row;

    const verdict = toDelivered(0, { ...image, alpha }, requestOf({ parameters: { background } }));

    expect(verdict.alpha).toBe(expected);
  });
});
