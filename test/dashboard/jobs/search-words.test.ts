import { describe, expect, it } from 'vitest';
import { matchesWords, toWordQuery } from '../../../dashboard/src/jobs/search-words.ts';

describe('matchesWords', () => {
  it.each([
    ['moon harbour', true],
    ['HARBOUR', true],
    ['arbo', true],
    ['"low moon"', true],
    ['"moon low"', false],
    ['harbour -moon', false],
    ['harbour -"moon low"', true],
    ['harbour sun', false],
    ['', true],
    ['-', true],
  ])('compares a prompt with the search %j', (search, expected) => {
    expect(matchesWords('A harbour under a low moon', search)).toBe(expected);
  });
});

describe('toWordQuery', () => {
  it('keeps words and phrases as they are typed', () => {
    expect(toWordQuery('  moon  -"low sun" “red fox')).toBe('moon -"low sun" “red fox');
  });

  it('leaves out words beyond the limits of the bridge', () => {
    const words = Array.from({ length: 20 }, (_, index) => `w${index}`);

    expect(toWordQuery(words.join(' '))).toBe(words.slice(0, 16).join(' '));
    expect(toWordQuery('x'.repeat(400))).toHaveLength(256);
  });
});
