import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nowSecs, sleep, systemClock } from '../../../lib/platform/clock.ts';
import { DAY_MS } from '../../../lib/platform/days.ts';
import { createManualClock } from '../../support/manual-clock.ts';

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([1, 5, 1000, 24 * DAY_MS, 25 * DAY_MS, 400 * DAY_MS])(
    'runs a callback after %i ms, and not earlier',
    (delayMs) => {
      const run = vi.fn();

      systemClock.after(delayMs, run);
      vi.advanceTimersByTime(Math.max(0, delayMs - 1));
      const early = run.mock.calls.length;
      vi.advanceTimersByTime(1);

      expect(early).toBe(0);
      expect(run).toHaveBeenCalledTimes(1);
    },
  );

  it.each([0, -5])('runs a callback with a delay of %i ms at once', (delayMs) => {
    const run = vi.fn();

    systemClock.after(delayMs, run);
    vi.advanceTimersByTime(1);

    expect(run).toHaveBeenCalledTimes(1);
  });

  it.each([10, 60 * DAY_MS])(
    'does not run a callback that was cancelled, even halfway to %i ms',
    (delayMs) => {
      const run = vi.fn();
      const cancel = systemClock.after(delayMs, run);

      vi.advanceTimersByTime(delayMs / 2);
      cancel();
      vi.advanceTimersByTime(delayMs);

      expect(run).not.toHaveBeenCalled();
    },
  );
});

describe('nowSecs', () => {
  it('returns whole seconds', () => {
    const clock = { ...createManualClock(), nowMs: () => 1_735_689_600_999 };

    expect(nowSecs(clock)).toBe(1_735_689_600);
  });
});

describe('sleep', () => {
  it('resolves once the time has passed', async () => {
    const clock = createManualClock();
    const woken = vi.fn();

    void sleep(clock, 100, new AbortController().signal).then(woken);
    await clock.advance(99);
    const early = woken.mock.calls.length;
    await clock.advance(1);

    expect(early).toBe(0);
    expect(woken).toHaveBeenCalledTimes(1);
  });

  it('rejects with the reason of the abort and clears its timer', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const reason = new Error('the client disconnected');

    const sleeping = sleep(clock, 100, controller.signal);
    controller.abort(reason);

    await expect(sleeping).rejects.toBe(reason);
    expect(clock.waiting).toBe(0);
  });

  it('does not start a timer if the signal has already aborted', async () => {
    const clock = createManualClock();
    const reason = new Error('the client disconnected');

    const sleeping = sleep(clock, 100, AbortSignal.abort(reason));

    await expect(sleeping).rejects.toBe(reason);
    expect(clock.waiting).toBe(0);
  });
});
