import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createToday } from '../../../dashboard/src/shell/today.ts';

const at = (day: number, hour = 0, minute = 0) => new Date(2026, 2, day, hour, minute).getTime();

describe('createToday', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: at(12, 23, 58) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('changes to the next day at every midnight', () => {
    const today = createToday(new EventTarget());

    vi.advanceTimersByTime(2 * 60_000 - 1);
    expect(today.value).toBe(at(12));
    vi.advanceTimersByTime(1);
    expect(today.value).toBe(at(13));
    vi.setSystemTime(at(13, 23, 59));
    vi.advanceTimersByTime(24 * 3_600_000);
    expect(today.value).toBe(at(14));
  });

  it('is updated when the page becomes visible after a sleep', () => {
    const visibility = new EventTarget();
    const today = createToday(visibility);

    vi.setSystemTime(at(15, 9));
    expect(today.value).toBe(at(12));
    visibility.dispatchEvent(new Event('visibilitychange'));

    expect(today.value).toBe(at(15));
  });
});
