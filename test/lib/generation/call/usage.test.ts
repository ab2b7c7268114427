import { describe, expect, it } from 'vitest';
import { addUsage } from '../../../../lib/generation/call/usage.ts';

describe('addUsage', () => {
  it.each([
    ['nothing to nothing', undefined, undefined, undefined],
    ['something to nothing', undefined, { input_tokens: 1 }, { input_tokens: 1 }],
    ['nothing to something', { input_tokens: 1 }, undefined, { input_tokens: 1 }],
    [
      'what both report',
      { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
      { input_tokens: 11, output_tokens: 22, total_tokens: 33 },
    ],
    [
      'what only one of them reports',
      { input_tokens: 1 },
      { output_tokens: 2 },
      { input_tokens: 1, output_tokens: 2 },
    ],
    [
      'a provider’s own numbers, under their names',
      { provider: { images: 1, text: 2 } },
      { total_tokens: 5, provider: { images: 3 } },
      { total_tokens: 5, provider: { images: 4, text: 2 } },
    ],
    ['zeros', { input_tokens: 0 }, { input_tokens: 0 }, { input_tokens: 0 }],
  ])('adds %s', (_, sum, more, expected) => {
    expect(addUsage(sum, more)).toEqual(expected);
  });

  it.each(['constructor', 'toString', '__proto__'])('takes the name %s for a mere name', (name) => {
    const named = { provider: JSON.parse(`{"${name}": 2}`) };

    const sums = [
      addUsage({ provider: { images: 1 } }, named),
      addUsage(named, { provider: { images: 1 } }),
      addUsage(named, named),
    ];

    expect(sums.map((sum) => JSON.stringify(sum))).toEqual([
      `{"provider":{"images":1,"${name}":2}}`,
      `{"provider":{"${name}":2,"images":1}}`,
      `{"provider":{"${name}":4}}`,
    ]);
  });
});
