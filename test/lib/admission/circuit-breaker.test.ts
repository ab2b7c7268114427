import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BreakerPass,
  type BreakerSettings,
  createCircuitBreaker,
  type Verdict,
  verdictOf,
} from '../../../lib/admission/circuit-breaker.ts';
import { BridgeError, type BridgeErrorOptions } from '../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../lib/errors/codes.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const provider = 'sandbox';
const OPEN_MS = 1000;
const SETTINGS: BreakerSettings = {
  enabled: true,
  failure_threshold: 3,
  open_duration_ms: OPEN_MS,
  half_open_max_calls: 1,
  success_threshold: 1,
};

const FAILURE = new BridgeError('upstream', 'it failed', { provider });
const NEUTRAL = new BridgeError('cancelled', 'no client waits for it any more', { provider });

function breakerOf(settings: Partial<BreakerSettings> = {}) {
  const clock = createManualClock();
  const transitions: string[] = [];
  let rejections = 0;
  const breaker = createCircuitBreaker({
    provider,
    settings: { ...SETTINGS, ...settings },
    clock,
    onTransition: (from, to) => transitions.push(`${from} > ${to}`),
    onRejection: () => {
      rejections += 1;
    },
  });
  const fail = (times = 1) => {
    for (let nth = 0; nth < times; nth += 1) breaker.admit().settle(FAILURE);
  };
  return { breaker, clock, transitions, fail, rejections: () => rejections };
}

async function halfOpen(settings: Partial<BreakerSettings> = {}) {
  const made = breakerOf(settings);
  made.fail(settings.failure_threshold ?? SETTINGS.failure_threshold);
  await made.clock.advance(OPEN_MS);
  return made;
}

const isOpen = expect.objectContaining({
  code: 'overloaded',
  provider,
  details: expect.objectContaining({ reason: 'circuit_open' }),
});

describe('createCircuitBreaker', () => {
  it('opens after the threshold of consecutive failures, and rejects at once with the remaining time', async () => {
    const { breaker, clock, fail, transitions, rejections } = breakerOf();

    fail(3);
    await clock.advance(400);

    expect(breaker.state()).toEqual({ state: 'open', failures: 3, opens: 1, retry_after_ms: 600 });
    expect(() => breaker.admit()).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        retryable: true,
        provider,
        details: { reason: 'circuit_open', retry_after_ms: 600 },
      }),
    );
    expect(() => breaker.check()).toThrow(isOpen);
    expect(breaker.refusal()).toMatchObject({ details: { reason: 'circuit_open' } });
    expect(transitions).toEqual(['closed > open']);
    // `refusal` counts no rejection.
    expect(rejections()).toBe(2);
  });

  it.each([
    [600, OPEN_MS],
    [5000, 5000],
    [Number.MAX_SAFE_INTEGER, 3_600_000],
  ])('stays open for the time that a rate-limiting provider names: %d ms', (askedMs, openMs) => {
    const { breaker, fail } = breakerOf();
    const details = { retry_after_ms: askedMs };
    const limited = new BridgeError('rate_limited', 'too many', { provider, details });

    fail(2);
    breaker.admit().settle(limited);

    expect(breaker.state()).toMatchObject({ state: 'open', retry_after_ms: openMs });
  });

  it('resets its count after a success, even if the success began before the failures', () => {
    const { breaker, fail } = breakerOf();
    const slow = breaker.admit();

    fail(2);
    slow.settle(undefined);
    fail(2);

    expect(breaker.state()).toEqual({ state: 'closed', failures: 2, opens: 0 });
  });

  it('neither increments nor resets its count after a neutral outcome', () => {
    const { breaker, fail } = breakerOf();

    fail(2);
    breaker.admit().settle(NEUTRAL);

    expect(breaker.state()).toMatchObject({ state: 'closed', failures: 2 });
    fail();
    expect(breaker.state()).toMatchObject({ state: 'open' });
  });

  it('counts only the first outcome of a pass', () => {
    const { breaker } = breakerOf({ failure_threshold: 2 });
    const pass = breaker.admit();

    pass.settle(FAILURE);
    pass.settle(FAILURE);
    pass.settle(undefined);

    expect(breaker.state()).toMatchObject({ state: 'closed', failures: 1 });
  });

  it('closes when enough probes succeed', async () => {
    const { breaker, transitions } = await halfOpen({ success_threshold: 2 });

    breaker.admit().settle(undefined);
    const between = breaker.state().state;
    breaker.admit().settle(undefined);

    expect(between).toBe('half_open');
    expect(breaker.state()).toEqual({ state: 'closed', failures: 0, opens: 1 });
    expect(transitions).toEqual(['closed > open', 'open > half_open', 'half_open > closed']);
  });

  it.each([
    'cancelled',
    'safety_rejected',
    'unsupported_capability',
    'provider_authentication',
  ] as const)('stays half open and releases the probe that ends with %s', async (code) => {
    const { breaker, transitions } = await halfOpen();

    breaker.admit().settle(new BridgeError(code, 'says nothing of the provider', { provider }));

    expect(breaker.state()).toMatchObject({ state: 'half_open', opens: 1 });
    breaker.admit().settle(undefined);
    expect(transitions.slice(1)).toEqual(['open > half_open', 'half_open > closed']);
  });

  it('opens again for the whole time after a failed probe', async () => {
    const { breaker, clock } = await halfOpen();

    breaker.admit().settle(FAILURE);
    await clock.advance(OPEN_MS - 1);

    expect(breaker.state()).toMatchObject({ state: 'open', opens: 2, retry_after_ms: 1 });
    await clock.advance(1);
    expect(breaker.state()).toMatchObject({ state: 'half_open' });
    breaker.admit().settle(undefined);
    expect(breaker.state()).toMatchObject({ state: 'closed' });
  });

  it('admits no more probes than allowed, and reports when to retry', async () => {
    const { breaker } = await halfOpen({ half_open_max_calls: 2, success_threshold: 3 });
    const first = breaker.admit();
    const admitsSecond = breaker.refusal() === undefined;
    breaker.admit();

    expect([admitsSecond, breaker.refusal() === undefined]).toEqual([true, false]);
    expect(() => breaker.check()).toThrow(isOpen);
    expect(() => breaker.admit()).toThrow(
      expect.objectContaining({
        details: { reason: 'circuit_open', retry_after_ms: expect.any(Number) },
      }),
    );
    first.settle(undefined);
    expect(() => breaker.admit()).not.toThrow();
  });

  it('uses up no probe for a check', async () => {
    const { breaker } = await halfOpen();

    breaker.check();
    breaker.check();

    expect(() => breaker.admit()).not.toThrow();
  });

  it.each([
    ['success', undefined],
    ['failure', FAILURE],
  ])('stays open when a call that began before it opened ends with %s', (_what, error) => {
    const { breaker, fail } = breakerOf();
    const early = breaker.admit();

    fail(3);
    early.settle(error);

    expect(breaker.state()).toMatchObject({ state: 'open', failures: 3, opens: 1 });
  });

  it.each([
    ['success', undefined],
    ['failure', FAILURE],
  ])('ignores the late %s of an earlier call while it is half open', async (_what, error) => {
    const { breaker, fail, clock } = breakerOf();
    const early = breaker.admit();
    fail(3);
    await clock.advance(OPEN_MS);
    breaker.check();

    early.settle(error);

    expect(breaker.state()).toMatchObject({ state: 'half_open', opens: 1 });
  });

  it('counts a probe of an earlier half-open period that still runs', async () => {
    const { breaker, clock } = await halfOpen({ half_open_max_calls: 2 });
    const slow = breaker.admit();
    breaker.admit().settle(FAILURE);
    await clock.advance(OPEN_MS);
    const probe = breaker.admit();

    expect(() => breaker.admit()).toThrow(isOpen);
    slow.settle(FAILURE);
    expect(breaker.state()).toMatchObject({ state: 'half_open' });
    probe.settle(undefined);
    expect(breaker.state()).toMatchObject({ state: 'closed' });
  });

  it('admits every call if it is disabled', () => {
    const { breaker, fail, rejections } = breakerOf({ enabled: false, failure_threshold: 1 });

    fail(20);

    expect(breaker.state()).toEqual({ state: 'closed', failures: 0, opens: 0 });
    expect(rejections()).toBe(0);
  });

  it('never admits more probes than allowed, and always recovers, for every schedule', async () => {
    const settings = fc.record({
      enabled: fc.constant(true),
      failure_threshold: fc.integer({ min: 1, max: 4 }),
      open_duration_ms: fc.constant(OPEN_MS),
      half_open_max_calls: fc.integer({ min: 1, max: 3 }),
      success_threshold: fc.integer({ min: 1, max: 4 }),
    });
    const step = fc.record({
      kind: fc.constantFrom('admit', 'admit', 'success', 'failure', 'neutral', 'wait'),
      nth: fc.nat(20),
    });

    await fc.assert(
      fc.asyncProperty(
        settings,
        fc.array(step, { maxLength: 80, size: 'max' }),
        async (given, steps) => {
          const drive = createDrive(given);
          for (const { kind, nth } of steps) {
            if (kind === 'admit') drive.admit();
            else if (kind === 'wait') await drive.clock.advance(nth * 100);
            else drive.settle(nth, kind);
          }
          await drive.expectRecovery();
        },
      ),
      { numRuns: 80 },
    );
  });
});

/** Calls through a breaker, each recorded with the state in which it was admitted. */
function createDrive(settings: BreakerSettings) {
  const { breaker, clock, transitions } = breakerOf(settings);
  let underWay: {
    readonly pass: BreakerPass;
    readonly isProbe: boolean;
    readonly period: number;
  }[] = [];

  const probes = () => underWay.filter(({ isProbe }) => isProbe).length;

  function admit(): void {
    const { state, retry_after_ms: leftMs } = breaker.state();
    let pass: BreakerPass | undefined;
    try {
      pass = breaker.admit();
    } catch (error) {
      expect(error).toEqual(isOpen);
      // A call is rejected only for a reason.
      if (state === 'open') expect(leftMs).toBeGreaterThan(0);
      else expect([state, probes()]).toEqual(['half_open', settings.half_open_max_calls]);
      return;
    }
    expect(state).not.toBe('open');
    underWay.push({ pass, isProbe: state === 'half_open', period: transitions.length });
    expect(probes()).toBeLessThanOrEqual(settings.half_open_max_calls);
  }

  function settle(nth: number, kind: 'success' | 'failure' | 'neutral'): void {
    const call = underWay[nth % Math.max(1, underWay.length)];
    if (!call) return;
    underWay = underWay.filter((it) => it !== call);
    const [before, steps] = [breaker.state().state, transitions.length];
    call.pass.settle({ success: undefined, failure: FAILURE, neutral: NEUTRAL }[kind]);
    const after = breaker.state().state;
    if (transitions.length === steps) return;
    // Only a call of this period can end the period.
    expect(call.period).toBe(steps);
    expect(before).not.toBe('open');
    expect(kind).not.toBe('neutral');
    if (before === 'closed') expect(kind).toBe('failure');
    expect(after).toBe(before === 'half_open' && kind === 'success' ? 'closed' : 'open');
  }

  return {
    clock,
    admit,
    settle,
    async expectRecovery(): Promise<void> {
      while (underWay.length > 0) settle(0, 'neutral');
      await clock.advance(OPEN_MS);
      for (let nth = 0; nth < settings.success_threshold; nth += 1) {
        breaker.admit().settle(undefined);
      }
      expect(breaker.state()).toMatchObject({ state: 'closed', failures: 0 });
    },
  };
}

type Row = readonly [code: ErrorCode, what: string, options: BridgeErrorOptions, verdict: Verdict];

const ROWS: readonly Row[] = [
  ['rate_limited', 'of the provider', { provider }, 'failure'],
  ['overloaded', 'of the provider', { provider, details: { retry_after_ms: 1 } }, 'failure'],
  ['overloaded', 'of a full queue', { provider, details: { reason: 'queue_full' } }, 'neutral'],
  [
    'overloaded',
    'of an open breaker',
    { provider, details: { reason: 'circuit_open' } },
    'neutral',
  ],
  ['rate_limited', 'of a used-up quota', { provider, details: { reason: 'quota' } }, 'neutral'],
  ['upstream', 'without an image', { provider, details: { reason: 'no_image' } }, 'neutral'],
  [
    'upstream',
    'without a revised prompt',
    { provider, details: { reason: 'no_revised_prompt' } },
    'neutral',
  ],
  ['overloaded', 'of the state store', {}, 'neutral'],
  ['timeout', 'before dispatch', { provider, retryable: true }, 'neutral'],
  ['timeout', 'after dispatch', { provider, retryable: false }, 'failure'],
  [
    'timeout',
    'of a deadline that the request has shortened',
    { provider, details: { reason: 'shortened_deadline' } },
    'neutral',
  ],
  ['timeout', 'of unknown outcome', { provider, details: { outcome: 'unknown' } }, 'failure'],
  ['upstream', 'that may be repeated', { provider, retryable: true }, 'failure'],
  ['upstream', 'for good', { provider }, 'failure'],
  ['protocol', 'of known outcome', { provider }, 'failure'],
  ['protocol', 'of unknown outcome', { provider, details: { outcome: 'unknown' } }, 'failure'],
  ['protocol', 'of an opaque image', { provider, details: { alpha: 'opaque' } }, 'neutral'],
  ['cancelled', 'of unknown outcome', { provider, details: { outcome: 'unknown' } }, 'neutral'],
  ['internal', 'of the provider', { provider }, 'neutral'],
];

const COUNTED = new Set(ROWS.filter(([, , , verdict]) => verdict === 'failure').map(([it]) => it));
// The keys of a table are its codes.
const OTHERS = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !COUNTED.has(code));

describe('verdictOf', () => {
  it('counts the absence of an error as a success', () => {
    expect(verdictOf(undefined)).toBe('success');
  });

  it.each(ROWS)('evaluates `%s` %s (%o) as a %s', (code, _what, options, verdict) => {
    expect(verdictOf(new BridgeError(code, 'it failed', options))).toBe(verdict);
  });

  it.each(OTHERS)('never counts `%s`', (code) => {
    expect(verdictOf(new BridgeError(code, 'it failed', { provider }))).toBe('neutral');
  });
});
