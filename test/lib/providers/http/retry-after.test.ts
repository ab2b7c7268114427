import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../../../lib/providers/http/retry-after.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12);

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    ['1', 1000],
    [' 120 ', 120_000],
    ['999999999', 999_999_999_000],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ])('reads %j', (header, waitMs) => {
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
  ])('makes nothing of %j', (header) => {
    expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
  });
});
