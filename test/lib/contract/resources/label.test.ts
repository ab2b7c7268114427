import { describe, expect, it } from 'vitest';
import { Label, Labels } from '../../../../lib/contract/resources/label.ts';
import { outputOf, verdictOf } from '../verdict-of.ts';

describe('Label', () => {
  it.each([
    ['a word', 'cats', 'cats'],
    ['spaces at both ends', '  two words\u00a0', 'two words'],
    ['a decomposed letter', 'Fru\u0308hling', 'Frühling'],
    ['letters of Hindi', 'हिन्दी', 'हिन्दी'],
    ['letters of Hebrew', 'שלום', 'שלום'],
    ['a joined emoji', '👩‍👩‍👧', '👩‍👩‍👧'],
    ['64 characters of Chinese', '字'.repeat(64), '字'.repeat(64)],
    [
      '64 letters with two combining marks each',
      'q\u0323\u0307'.repeat(64),
      'q\u0323\u0307'.repeat(64),
    ],
    ['64 combining marks', '\u0301'.repeat(64), '\u0301'.repeat(64)],
  ])('accepts %s', (_, sent, stored) => {
    expect(outputOf(Label, sent)).toBe(stored);
  });

  it.each([
    ['an empty text', '', 'blank'],
    ['a blank text', ' \u2003 ', 'blank'],
    ['a text that cannot be seen', '\u200b\u2060', 'blank'],
    ['65 characters', 'c'.repeat(65), 'invalid_length'],
    ['65 emoji of several code points', '🇩🇪'.repeat(65), 'invalid_length'],
    ['more than 512 bytes', `a${'\u0301'.repeat(256)}`, 'invalid_length'],
    ['a line break', 'a\nb', 'invalid_text'],
    ['U+0000', 'a\u0000', 'invalid_text'],
    ['a control character of Latin-1', 'a\u0085', 'invalid_text'],
    ['a line separator', 'a\u2028b', 'invalid_text'],
    ['a lone surrogate', '\ud800', 'invalid_text'],
  ])('rejects %s', (_, sent, code) => {
    expect(verdictOf(Label, sent)).toEqual([`: ${code}`]);
  });
});

describe('Labels', () => {
  it('stores equal labels once, in their order', () => {
    expect(outputOf(Labels, ['b', ' a ', 'b', 'a', 'A'])).toEqual(['b', 'a', 'A']);
  });

  it.each([
    [Array.from({ length: 17 }, (_, nth) => `label ${nth}`), ': too_many'],
    [['cats', ' '], '[1]: blank'],
    [['cats', 1], '[1]: invalid_type'],
    ['cats', ': invalid_type'],
  ])('rejects %j', (sent, issue) => {
    expect(verdictOf(Labels, sent)).toEqual([issue]);
  });
});
