import { describe, expect, it } from 'vitest';
import { BridgeError, type BridgeErrorOptions } from '../../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../../lib/errors/codes.ts';
import { retryDelayMs } from '../../../../lib/generation/call/retry.ts';

const policy = { attempts: 3, backoffMs: 1000 };
const situation = { attempt: 1, remainingMs: 60_000, fraction: 0.5 };
const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('retryDelayMs', () => {
  it('repeats what the provider calls transient, after its wait', () => {
    expect(retryDelayMs(transient(), policy, situation)).toBe(1000);
  });

  it.each(CODES)('never repeats %s on the word of its table row alone', (code) => {
    expect(retryDelayMs(failure(code, { retryable: true }), policy, situation)).toBeUndefined();
  });

  it.each<[string, BridgeError, Partial<typeof situation>]>([
    ['an unknown outcome', transient({ outcome: 'unknown' }), {}],
    ['the last attempt', transient(), { attempt: 3 }],
    ['what would wait too long', transient({ retry_after_ms: 10_001 }), {}],
    ['what would wait past the deadline', transient(), { remainingMs: 1000 }],
    [
      'what may wait past the deadline only',
      transient({ retry_after_ms: 500 }),
      { remainingMs: 400 },
    ],
  ])('does not repeat %s', (_, error, change) => {
    expect(retryDelayMs(error, policy, { ...situation, ...change })).toBeUndefined();
  });

  it.each([
    [1, 0, 800],
    [1, 0.5, 1000],
    [1, 1, 1200],
    [2, 0, 1600],
    [2, 0.25, 1800],
  ])('waits after attempt %i with the jitter of %d for %i ms', (attempt, fraction, expected) => {
    const waitMs = retryDelayMs(transient(), policy, { ...situation, attempt, fraction });

    expect(waitMs).toBeCloseTo(expected, 9);
  });

  it.each([0, 1, 3000, 10_000])(
    'waits for the %i ms that it was asked to, without jitter',
    (asked) => {
      const error = failure('rate_limited', {
        transient: true,
        details: { retry_after_ms: asked },
      });

      expect(retryDelayMs(error, policy, { ...situation, fraction: 0.9 })).toBe(asked);
    },
  );

  it('gives a provider with one attempt no second', () => {
    const once = { attempts: 1, backoffMs: 0 };

    expect(retryDelayMs(transient(), once, situation)).toBeUndefined();
  });
});

function failure(code: ErrorCode, options: BridgeErrorOptions): BridgeError {
  return new BridgeError(code, 'a failure', options);
}

function transient(details: NonNullable<BridgeErrorOptions['details']> = {}): BridgeError {
  return failure('upstream', { retryable: true, transient: true, details });
}
