import { describe, expect, it } from 'vitest';
import { waitMsOf } from '../../../../lib/providers/http/wait-headers.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

const waitOf = (headers: Readonly<Record<string, string>>) =>
  waitMsOf((name) => headers[name], NOW_MS);

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
  ])('reads %j as %s', (headers, waitMs) => {
    expect(waitOf(headers)).toBe(waitMs);
  });
});
