import { describe, expect, it } from 'vitest';
import { chooseKeyColor } from '../../../../lib/generation/plan/choose-key-color.ts';

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
  ])('keeps away from what "%s" speaks of: %s', (prompt, expected) => {
    expect(chooseKeyColor(prompt)).toBe(expected);
  });

  it('gives some colour where the prompt speaks of all', () => {
    const prompt = '#00ff00 #ff00ff #0000ff #00ffff #ff0000 #ffff00';

    expect(chooseKeyColor(prompt)).toBe('#00FF00');
  });

  it('takes a long prompt in its stride', () => {
    const prompt = 'green '.repeat(2000);

    expect(chooseKeyColor(prompt)).toBe('#FF00FF');
  });
});
