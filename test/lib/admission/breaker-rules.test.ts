import { describe, expect, it } from 'vitest';
import { type Verdict, verdictOf } from '../../../lib/admission/breaker-rules.ts';
import { BridgeError, type BridgeErrorOptions } from '../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../lib/errors/codes.ts';

const provider = 'sandbox';

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
