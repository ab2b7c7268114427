import { describe, expect, it } from 'vitest';
import { retryAfterMs, waitMsOf } from '../../../../lib/providers/http/retry-after.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12);

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    ['1', 1000],
    [' 120 ', 120_000],
    ['999999999', 999_999_999_000],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ])('parses Retry-After: %j', (header, waitMs) => {
    expect(retryAfterMs(header, NOW_MS)).toBe(waitMs);
  });

  it.each([
    [undefined],
    [''],
    ['soon'],
    ['-5'],
    ['+5'],
    ['1.5'],
    ['1e3'],
    ['0x10'],
    ['1, 2'],
    ['12345678901234567890'],
    ['Thu, 99 Jan 2026 12:00:30 GMT'],
    ['Thu, 01 Jan 2026'],
    ['Thu, whenever 1'],
    ['2026-01-01T12:00:30Z'],
  ])('returns undefined for Retry-After: %j', (header) => {
    expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
  });
});

const NEW_YEAR_MS = Date.UTC(2026, 0, 1);

const waitOf = (headers: Readonly<Record<string, string>>) =>
  waitMsOf((name) => headers[name], NEW_YEAR_MS);

describe('waitMsOf', () => {
  it.each<[headers: Record<string, string>, waitMs: number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9000],
    [{ 'retry-after-ms': '1250.5', 'retry-after': '7' }, 1251],
    [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
    [{ 'x-ratelimit-reset-requests': '6m0s' }, undefined],
    [{ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '6m0s' }, undefined],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '12ms' }, 12],
    [{ 'x-ratelimit-remaining-images': '0', 'x-ratelimit-reset-images': '1.5s' }, 1500],
    [
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1d2h3m4s5ms' },
      93_784_005,
    ],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1700000000' }, undefined],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'never' }, undefined],
    [
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '3s',
      },
      3000,
    ],
    [
      {
        'retry-after': '2',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '3s',
      },
      2000,
    ],
  ])('returns the wait that %j asks for: %s', (headers, waitMs) => {
    expect(waitOf(headers)).toBe(waitMs);
  });
});
