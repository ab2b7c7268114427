import { describe, expect, it } from 'vitest';
import { isKnown } from '../../../../lib/http/reply/reply.ts';

describe('isKnown', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
    [undefined, false],
  ])('returns for the header %j: %s', (header, known) => {
    expect(isKnown(header, '"a"')).toBe(known);
  });
});
