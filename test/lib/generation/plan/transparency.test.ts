import { describe, expect, it } from 'vitest';
import { chooseKeyColor } from '../../../../lib/generation/plan/transparency.ts';

describe('chooseKeyColor', () => {
  it.each([
    ['a boat', '#00FF00'],
    ['', '#00FF00'],
    ['a red boat on a blue sea', '#00FF00'],
    ['A Green Boat', '#FF00FF'],
    ['two frogs', '#FF00FF'],
    ['a pile of leaves', '#FF00FF'],
    ['ein grüner Frosch', '#FF00FF'],
    ['una rana verde', '#FF00FF'],
    ['a logo in #10c030', '#FF00FF'],
    ['a flamingo in the grass', '#0000FF'],
    ['a pink and purple unicorn', '#00FF00'],
    ['green, pink and blue balloons', '#00FFFF'],
    ['the word evergreenery', '#00FF00'],
  ])('avoids the colours of "%s": %s', (prompt, expected) => {
    expect(chooseKeyColor(prompt)).toBe(expected);
  });

  it('chooses some colour if the prompt names all colours', () => {
    const prompt = '#00ff00 #ff00ff #0000ff #00ffff #ff0000 #ffff00';

    expect(chooseKeyColor(prompt)).toBe('#00FF00');
  });

  it('handles a long prompt quickly', () => {
    const prompt = 'green '.repeat(2000);

    expect(chooseKeyColor(prompt)).toBe('#FF00FF');
  });
});
