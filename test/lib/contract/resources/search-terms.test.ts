import { describe, expect, it } from 'vitest';
import { parseSearchTerms, SearchQuery } from '../../../../lib/contract/resources/search-terms.ts';
import { outputOf } from '../verdict-of.ts';

describe('parseSearchTerms', () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ['words', 'red fox', ['red', 'fox'], []],
    ['words between any spaces', ' red\u3000 fox\t\n', ['red', 'fox'], []],
    ['a phrase', '"red fox" snow', ['red fox', 'snow'], []],
    ['a phrase with spaces at both ends', '" red "', [' red '], []],
    ['a phrase in curly quotation marks', '“red fox”', ['red fox'], []],
    ['an excluded word', 'fox -red', ['fox'], ['red']],
    ['an excluded phrase', '-"red fox" snow', ['snow'], ['red fox']],
    ['excluded words alone', '-red -fox', [], ['red', 'fox']],
    ['a phrase without an end', 'snow "red fox ', ['snow', 'red fox '], []],
    ['a phrase and a word without a space', '"red fox"snow', ['red fox', 'snow'], []],
    ['a quotation mark in a word', '24" screen', ['24"', 'screen'], []],
    ['a hyphen in a word', 'red-haired fox', ['red-haired', 'fox'], []],
    ['a word that begins with two hyphens', '--ar', [], ['-ar']],
    ['a phrase that begins with a hyphen', '"--ar 3:2"', ['--ar 3:2'], []],
    ['a hyphen alone', 'red - fox -', ['red', 'fox'], []],
    ['empty phrases', '"" -"" "', [], []],
    ['repetitions', 'fox fox "fox" -red -red', ['fox'], ['red']],
    ['letters with a meaning in patterns', '100% a_b fox*', ['100%', 'a_b', 'fox*'], []],
  ])('parses %s', (_, query, all, none) => {
    expect(parseSearchTerms(query)).toEqual({ all, none });
  });
});

describe('SearchQuery', () => {
  it('allows 16 words and phrases, and does not count repetitions', () => {
    const words = Array.from({ length: 8 }, (_, nth) => `a${nth} -b${nth}`).join(' ');

    expect(outputOf(SearchQuery, `${words} ${words}`)).toMatchObject({
      all: { length: 8 },
      none: { length: 8 },
    });
  });
});
