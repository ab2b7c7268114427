import { describe, expect, it } from 'vitest';
import { BridgeError, type BridgeErrorOptions } from '../../../../lib/errors/bridge-error.ts';
import type { ErrorCode } from '../../../../lib/errors/codes.ts';
import {
  type OutputFailure,
  requestFailure,
} from '../../../../lib/generation/call/failure-policy.ts';

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
  ])('is none without failures, under %s', (_, situation) => {
    expect(requestFailure([], { ...situation, succeeded: 3 })).toBeUndefined();
  });

  it('is the first that happened under fail_fast, whatever its index', () => {
    const error = requestFailure([transient, blocked], failFast);

    expect(error).toMatchObject({ code: 'upstream', retryable: true, details: {} });
  });

  it('is none under best_effort as long as one output came out', () => {
    expect(requestFailure([transient, blocked], { ...bestEffort, succeeded: 1 })).toBeUndefined();
  });

  it('is an error under best_effort when all outputs failed', () => {
    expect(requestFailure([blocked, transient], bestEffort)?.code).toBe('safety_rejected');
  });

  it('delivers at the deadline what is ready, under best_effort', () => {
    const situation = { ...bestEffort, succeeded: 1, signal: atDeadline };

    expect(requestFailure([lateUnknown], situation)).toBeUndefined();
  });

  it('delivers nothing to a client that has disconnected', () => {
    const situation = { ...bestEffort, succeeded: 1, signal: afterDisconnect };

    const error = requestFailure([transient, left], situation);

    expect(error?.code).toBe('cancelled');
  });

  it('has no failure for a client that disconnected after the last output', () => {
    expect(requestFailure([], { ...bestEffort, signal: afterDisconnect })).toBeUndefined();
  });

  it.each([
    ['all of them have', [late, lateUnknown], true],
    ['one of them has not', [late, lateUnknown, lateLost], false],
  ] as const)('says at the deadline whether the calls have stopped: %s', (_, failures, stopped) => {
    const error = requestFailure(failures, { ...failFast, signal: atDeadline });

    expect(error).toMatchObject({ code: 'timeout', details: { provider_stopped: stopped } });
  });

  it('does not say of an own failure whether a sibling has stopped', () => {
    const error = requestFailure([blocked, lost], failFast);

    expect(error?.details).toEqual({});
  });
});

function failure(index: number, code: ErrorCode, options: BridgeErrorOptions = {}): OutputFailure {
  return { index, error: new BridgeError(code, 'a failure', options), generationMs: 1 };
}
