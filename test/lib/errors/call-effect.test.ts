import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { effectOf } from '../../../lib/errors/call-effect.ts';

const AGAIN = { retryable: true, transient: true } as const;

describe('BridgeError', () => {
  it.each(['made', 'unknown'] as const)(
    'is never retryable or transient if the effect of its call is %s',
    (effect) => {
      const error = new BridgeError('rate_limited', 'no', { ...AGAIN, effect });

      expect(error).toMatchObject({ retryable: false, transient: false, effect });
      expect(error.with(AGAIN)).toMatchObject({ retryable: false, transient: false, effect });
    },
  );

  it.each(['not_begun', 'nothing_made', undefined] as const)(
    'keeps what its thrower says of a repeat if the effect of its call is %s',
    (effect) => {
      const stated = effect === undefined ? {} : { effect };
      const error = new BridgeError('upstream', 'no', { ...AGAIN, ...stated });

      expect(error).toMatchObject({ ...AGAIN, details: {} });
    },
  );

  it('reports an unknown effect in its details', () => {
    const error = new BridgeError('upstream', 'no', {
      effect: 'unknown',
      details: { reason: 'x' },
    });

    expect(error.details).toEqual({ reason: 'x', outcome: 'unknown' });
  });

  it('has an unknown effect if its details say so, even if they are added later', () => {
    const details = { outcome: 'unknown' };
    const made = new BridgeError('protocol', 'no', { effect: 'made' });

    expect(new BridgeError('upstream', 'no', { ...AGAIN, details }).effect).toBe('unknown');
    expect(made.with({ details }).effect).toBe('unknown');
  });

  it('keeps an unknown effect for all added facts', () => {
    const error = new BridgeError('upstream', 'no', { effect: 'unknown' });

    const more = error.with({ effect: 'nothing_made', provider: 'x', details: { a: 1 } });

    expect(more).toMatchObject({ effect: 'unknown', details: { outcome: 'unknown', a: 1 } });
  });
});

describe('effectOf', () => {
  it.each([
    ['provider_authentication', 'not_begun'],
    ['rate_limited', 'not_begun'],
    ['overloaded', 'not_begun'],
    ['upstream', 'nothing_made'],
    ['safety_rejected', 'nothing_made'],
    ['protocol', 'made'],
    ['internal', 'unknown'],
    ['timeout', 'unknown'],
  ] as const)('takes %s without a stated effect for %s', (code, effect) => {
    expect(effectOf(new BridgeError(code, 'no'))).toBe(effect);
  });

  it('returns the stated effect for every code', () => {
    expect(effectOf(new BridgeError('rate_limited', 'no', { effect: 'unknown' }))).toBe('unknown');
    expect(effectOf(new BridgeError('protocol', 'no', { effect: 'not_begun' }))).toBe('not_begun');
  });
});
