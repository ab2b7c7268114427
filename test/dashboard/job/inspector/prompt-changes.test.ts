import { describe, expect, it } from 'vitest';
import {
  comparePrompts,
  toPromptParts,
} from '../../../../dashboard/src/job/inspector/prompt-changes.ts';

describe('toPromptParts', () => {
  it('marks added words without the spaces around them', () => {
    expect(toPromptParts('a red kite', 'a small red kite over the sea')).toEqual([
      { text: 'a ', isAdded: false },
      { text: 'small', isAdded: true },
      { text: ' ', isAdded: false },
      { text: 'red kite', isAdded: false },
      { text: ' ', isAdded: false },
      { text: 'over the sea', isAdded: true },
    ]);
  });

  it('keeps the revised prompt exactly', () => {
    const revised = 'Two herons\n  at dawn, <b>not</b> dusk';

    const parts = toPromptParts('Two herons at dusk', revised);

    expect(parts.map(({ text }) => text).join('')).toBe(revised);
  });

  it('returns long texts with little in common without marks', () => {
    const words = (seed: number) =>
      Array.from({ length: 2000 }, (_, at) => String((at * seed) % 7919)).join(' ');

    const parts = toPromptParts(words(31), words(37));

    expect(parts.map(({ text }) => text).join('')).toBe(words(37));
  });
});

describe('comparePrompts', () => {
  const compare = (a: string, b: string) =>
    comparePrompts(a, b).map(
      ({ text, kind }) => ({ kept: text, added: `+${text}`, removed: `-${text}` })[kind],
    );

  it('shows neighbouring changed words as one removed and one added phrase', () => {
    expect(
      compare('A lake at dusk, rose, low moon', 'A lake by moonlight, blue, low moon'),
    ).toEqual(['A lake ', '-at dusk, rose', '+by moonlight, blue', ', low moon']);
  });

  it('marks words that were only added or only removed', () => {
    expect(compare('A lake', 'A lake at noon')).toEqual(['A lake', '+ at noon']);
    expect(compare('A lake at noon', 'A lake')).toEqual(['A lake', '- at noon']);
  });

  it('keeps equal prompts, and prompts in other scripts, whole', () => {
    expect(compare('山 湖', '山 湖')).toEqual(['山 湖']);
    expect(compare('', 'אגם')).toEqual(['+אגם']);
  });

  it('returns a text without a comparison if the comparison takes too long', () => {
    const a = Array.from({ length: 4000 }, (_, nth) => `a${nth}`).join(' ');
    const b = Array.from({ length: 4000 }, (_, nth) => `b${nth}`).join(' ');

    expect(
      comparePrompts(a, b)
        .map(({ text }) => text)
        .join(''),
    ).toContain(b.slice(0, 100));
  });
});
