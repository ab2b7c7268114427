import { describe, expect, it } from 'vitest';
import { toPromptParts } from '../../../../dashboard/src/job/inspector/prompt-changes.ts';

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
