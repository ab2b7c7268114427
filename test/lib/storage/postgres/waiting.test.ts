import { describe, expect, it } from 'vitest';
import { waitUntilFound } from '../../../../lib/storage/postgres/waiting.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { NO_WAKE_UPS } from '../../../support/no-wake-ups.ts';

describe('waitUntilFound', () => {
  it('leaves no timer after a wake-up', async () => {
    const clock = createManualClock();
    let wake = () => {};
    const listen = (_topic: string, reader: () => void) => {
      wake = reader;
      return () => {};
    };
    let isThere = false;
    const deps = { clock, wakeUps: { ...NO_WAKE_UPS, listen }, pollMs: 1000 };
    const { signal } = new AbortController();
    const found = waitUntilFound(deps, 'topic', async () => isThere || undefined, signal);
    await clock.advance(0);
    isThere = true;
    wake();

    expect(await found).toBe(true);
    expect(clock.waiting).toBe(0);
  });
});
