import { describe, expect, it } from 'vitest';
import { BridgeError, type BridgeErrorOptions } from '../../../../lib/errors/bridge-error.ts';
import type { ErrorCode } from '../../../../lib/errors/codes.ts';
import {
  addUsage,
  type OutputFailure,
  requestFailure,
} from '../../../../lib/generation/call/outcome.ts';

const running = new AbortController().signal;
const atDeadline = AbortSignal.abort(new BridgeError('timeout', 'late', { retryable: true }));
const afterDisconnect = AbortSignal.abort(new BridgeError('cancelled', 'disconnected'));

const failFast = { isFailFast: true, succeeded: 0, signal: running };
const bestEffort = { ...failFast, isFailFast: false };

const transient = failure(1, 'upstream', { retryable: true });
const blocked = failure(0, 'safety_rejected');
const lost = failure(3, 'cancelled', { details: { outcome: 'unknown', provider_stopped: false } });
const late = failure(4, 'timeout', { retryable: true, details: { provider_stopped: true } });
const lateUnknown = failure(5, 'timeout', {
  details: { outcome: 'unknown', provider_stopped: true },
});
const lateLost = failure(6, 'timeout', {
  details: { outcome: 'unknown', provider_stopped: false },
});
const left = failure(7, 'cancelled', { details: { provider_stopped: true } });

describe('requestFailure', () => {
  it.each([
    ['fail_fast', failFast],
    ['best_effort', bestEffort],
  ])('returns no error without failures, under %s', (_, situation) => {
    expect(requestFailure([], { ...situation, succeeded: 3 })).toBeUndefined();
  });

  it('returns the earliest failure under fail_fast, whatever its index', () => {
    const error = requestFailure([transient, blocked], failFast);

    expect(error).toMatchObject({ code: 'upstream', retryable: true, details: {} });
  });

  it('returns no error under best_effort if at least one output succeeded', () => {
    expect(requestFailure([transient, blocked], { ...bestEffort, succeeded: 1 })).toBeUndefined();
  });

  it('returns an error under best_effort if all outputs failed', () => {
    expect(requestFailure([blocked, transient], bestEffort)?.code).toBe('safety_rejected');
  });

  it('returns no error at the deadline under best_effort if an output succeeded', () => {
    const situation = { ...bestEffort, succeeded: 1, signal: atDeadline };

    expect(requestFailure([lateUnknown], situation)).toBeUndefined();
  });

  it('returns an error for a client that has disconnected', () => {
    const situation = { ...bestEffort, succeeded: 1, signal: afterDisconnect };

    const error = requestFailure([transient, left], situation);

    expect(error?.code).toBe('cancelled');
  });

  it('returns no error for a client that disconnected after the last output', () => {
    expect(requestFailure([], { ...bestEffort, signal: afterDisconnect })).toBeUndefined();
  });

  it.each([
    ['all of them have', [late, lateUnknown], true],
    ['one of them has not', [late, lateUnknown, lateLost], false],
  ] as const)('reports at the deadline if the calls have stopped: %s', (_, failures, stopped) => {
    const error = requestFailure(failures, { ...failFast, signal: atDeadline });

    expect(error).toMatchObject({ code: 'timeout', details: { provider_stopped: stopped } });
  });

  it('reports nothing about siblings for a failure of an output itself', () => {
    const error = requestFailure([blocked, lost], failFast);

    expect(error?.details).toEqual({});
  });
});

function failure(index: number, code: ErrorCode, options: BridgeErrorOptions = {}): OutputFailure {
  return { index, error: new BridgeError(code, 'a failure', options), generationMs: 1 };
}

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

  it.each(['constructor', 'toString', '__proto__'])(
    'treats %s as an ordinary member name',
    (name) => {
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
    },
  );
});
