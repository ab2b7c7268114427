import { describe, expect, it } from 'vitest';
import { expandPrompt } from '../../../../dashboard/src/race/panel/expand-prompt.ts';

describe('expandPrompt', () => {
  it.each([
    ['a fox', ['a fox']],
    ['a {red,blue} fox', ['a red fox', 'a blue fox']],
    ['a {red, blue} fox', ['a red fox', 'a blue fox']],
    ['{a,b} {1,2}', ['a 1', 'a 2', 'b 1', 'b 2']],
    ['a {very,} old fox', ['a very old fox', 'a  old fox']],
    ['a \\{red,blue\\} fox', ['a {red,blue} fox']],
    ['a \\{red,blue} fox', ['a {red,blue} fox']],
    ['a {red\\, or so,blue} fox', ['a red, or so fox', 'a blue fox']],
    ['a {red} fox', ['a {red} fox']],
    ['a {red,blue fox', ['a {red,blue fox']],
    ['a {red,{light,dark} blue} fox', ['a {red,light blue} fox', 'a {red,dark blue} fox']],
    ['a \\\\{red,blue} fox', ['a \\red fox', 'a \\blue fox']],
    ['{a,a} fox', ['a fox']],
    ['two\nlines', ['two\nlines']],
    ['  ', []],
    ['{,}', []],
  ])('makes of %j the prompts %j', (template, prompts) => {
    expect(expandPrompt(template, false)).toMatchObject({ prompts, count: prompts.length });
  });

  it('makes a prompt of each line of a list', () => {
    expect(expandPrompt('a fox\n\na {red,blue} boat\na fox', true)).toEqual({
      prompts: ['a fox', 'a red boat', 'a blue boat'],
      count: 3,
      values: ['red', 'blue'],
    });
  });

  it('counts prompts beyond the limit without making them', () => {
    const { prompts, count } = expandPrompt('{a,b,c,d,e}'.repeat(10), false);

    expect(prompts).toHaveLength(25);
    expect(count).toBe(5 ** 10);
  });

  it('ends for a million equal combinations', () => {
    expect(expandPrompt('{a,a}'.repeat(2000), false).prompts).toHaveLength(1);
  });
});
