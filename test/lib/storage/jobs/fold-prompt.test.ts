import { describe, expect, test } from 'vitest';
import { foldPrompt } from '../../../../lib/storage/jobs/fold-prompt.ts';

const LETTERS = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point)).filter(
  (letter) => letter.isWellFormed(),
);

function escaped(letter: string): string {
  return `\\u{${letter.codePointAt(0)?.toString(16)}}`;
}

describe('foldPrompt', () => {
  test.each([
    ['capital letters of ASCII', 'A Red FOX', 'a red fox'],
    ['accents, which stay', 'ÉTÉ', 'été'],
    ['a combining accent, which stays apart', 'E\u0301', 'e\u0301'],
    ['sharp s, capital and small', 'STRAẞE straße', 'straße straße'],
    ['all three sigmas', 'ΣΊΣΥΦΟΣ ς', 'σίσυφοσ σ'],
    ['the letters of Turkish, which are no case of i', 'İstanbul ısı', 'İstanbul ısı'],
    ['the signs of Kelvin and Ångström', '\u212a \u212b', 'k å'],
    ['long s and micro', 'ſ µ', 's μ'],
    ['title case', 'ǅ ǈ', 'ǆ ǉ'],
    ['Cherokee, to the capital letters', '\uab70\u13f8', '\u13a0\u13f0'],
    ['Deseret, beyond sixteen bits', '\u{10400}', '\u{10428}'],
    ['a ligature, which stays one', 'ﬁ ﬅ', 'ﬁ ﬆ'],
    ['signs, spaces and what has no case', ' %_\t漢 😀 ا', ' %_\t漢 😀 ا'],
  ])('the fold of %s is correct', (_, text, folded) => {
    expect(foldPrompt(text)).toBe(folded);
  });

  test('every code point folds to one that the engine treats as the same letter, and folding is idempotent', () => {
    const wrong = LETTERS.filter((letter) => {
      const folded = foldPrompt(letter);
      if (folded === letter) return false;
      const isSame = new RegExp(`^${escaped(letter)}$`, 'iu').test(folded);
      return !isSame || [...folded].length !== 1 || foldPrompt(folded) !== folded;
    });

    expect(wrong).toEqual([]);
  });

  test('letters that the engine treats as the same have the same fold', () => {
    const cased = LETTERS.filter((letter) => {
      const forms = [letter.toLowerCase(), letter.toUpperCase(), foldPrompt(letter)];
      return forms.some((form) => form !== letter);
    });
    const all = [...cased, '\u1fbe', '\u1fd3', '\u0390', '\u1fe3', '\u03b0'].join('');

    const torn = cased.filter((letter) => {
      const same = all.match(new RegExp(escaped(letter), 'giu')) ?? [];
      return new Set(same.map(foldPrompt)).size !== 1;
    });

    expect(cased.length).toBeGreaterThan(2500);
    expect(torn).toEqual([]);
  });
});
