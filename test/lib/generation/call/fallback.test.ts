import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../../lib/errors/codes.ts';
import { fallsBack } from '../../../../lib/generation/call/fallback.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const UNAVAILABLE = [
  'configuration',
  'provider_authentication',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
];
const FAILED = ['upstream', 'protocol', 'internal', 'refused_by_provider'];

describe('fallsBack', () => {
  it.each(CODES)('decides about %s as the contract does', (code) => {
    const error = new BridgeError(code, 'failed');

    expect(fallsBack(error, 'on_unavailable')).toBe(UNAVAILABLE.includes(code));
    expect(fallsBack(error, 'on_error')).toBe([...UNAVAILABLE, ...FAILED].includes(code));
  });

  it.each(CODES)('never falls back after %s when its outcome is unknown', (code) => {
    const error = new BridgeError(code, 'failed', { details: { outcome: 'unknown' } });

    expect(fallsBack(error, 'on_unavailable')).toBe(false);
    expect(fallsBack(error, 'on_error')).toBe(false);
  });

  it.each(CODES)('never falls back after %s when outputs had succeeded', (code) => {
    const error = new BridgeError(code, 'failed', { details: { succeeded_outputs: 1 } });

    expect(fallsBack(error, 'on_unavailable')).toBe(false);
    expect(fallsBack(error, 'on_error')).toBe(false);
  });
});
