import { describe, expect, test } from 'vitest';
import { toRouteCalls } from '../../../../lib/generation/call/route-calls.ts';
import type { EarlierWork } from '../../../../lib/generation/earlier-work-port.ts';

const ONE_EACH = [[0], [1], [2], [3]];
const PAIRS = [
  [0, 1],
  [2, 3],
];

/** Returns the work of an ended process with these open calls and published images. */
function work(calls: readonly [readonly number[], string?][], published: readonly number[] = []) {
  return {
    renewals: 0,
    provider: 'sandbox',
    model: 'a-model',
    calls: calls.map(([indices, ticket], call) => {
      return { call, provider: 'sandbox', indices, ...(ticket ? { ticket } : {}) };
    }),
    images: published.map((index) => ({ facts: { index } })),
  } as unknown as EarlierWork;
}

describe('toRouteCalls', () => {
  test.each([
    ['a first process sends all', ONE_EACH, undefined, [], [[0], [1], [2], [3]], []],
    [
      'an accepted call continues, and the others are sent',
      ONE_EACH,
      work([[[1], 't']]),
      [[1]],
      [[0], [2], [3]],
      [],
    ],
    [
      'a partly published call continues',
      PAIRS,
      work([[[0, 1], 't']], [0]),
      [[0, 1]],
      [[2, 3]],
      [],
    ],
    ['a published call does not continue', PAIRS, work([[[0, 1], 't']], [0, 1]), [], [[2, 3]], []],
    [
      'a call without a ticket is unknown',
      ONE_EACH,
      work([[[0], 't'], [[1]]]),
      [[0]],
      [[2], [3]],
      [1],
    ],
    ['calls may be split in another way', PAIRS, work([[[0], 't']]), [[0]], [[1], [2, 3]], []],
  ] as const)('%s', (_, calls, earlier, continued, sent, unknown) => {
    const planned = toRouteCalls({ calls, isFailFast: false }, earlier);

    const indicesOf = (isContinued: boolean) =>
      planned.calls
        .filter((call) => (call.earlier !== undefined) === isContinued)
        .map(({ indices }) => indices);
    expect(indicesOf(true)).toEqual(continued);
    expect(indicesOf(false)).toEqual(sent);
    expect(planned.unknown).toEqual(unknown);
  });

  test('under fail_fast, nothing further is sent if an output is unknown', () => {
    const planned = toRouteCalls({ calls: ONE_EACH, isFailFast: true }, work([[[0], 't'], [[1]]]));

    expect(planned.calls.map(({ indices }) => indices)).toEqual([[0]]);
  });
});
