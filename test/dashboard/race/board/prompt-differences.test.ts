import { describe, expect, it } from 'vitest';
import { promptDifferences } from '../../../../dashboard/src/race/board/prompt-differences.ts';

describe('promptDifferences', () => {
  it.each([
    [
      ['a fox at dusk, still', 'a fox at noon, still'],
      ['dusk', 'noon'],
      'a fox at {dusk,noon}, still',
    ],
    [['a red fox', 'a reddish fox'], ['red', 'reddish'], 'a {red,reddish} fox'],
    [['a fox'], [undefined], 'a fox'],
    [['a fox', 'a fox in the snow'], ['fox', 'fox in the snow'], 'a {fox,fox in the snow}'],
    [['a fox', 'a fox'], [undefined, undefined], 'a fox'],
  ])('finds in %j the parts %j', (prompts, parts, title) => {
    expect(promptDifferences(prompts)).toEqual({ parts, title });
  });

  it('finds no parts in prompts that share little', () => {
    const prompts = ['x'.repeat(50), 'y'.repeat(50)];

    expect(promptDifferences(prompts)).toEqual({
      parts: [undefined, undefined],
      title: prompts[0],
    });
  });
});
