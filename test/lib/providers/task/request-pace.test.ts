import { describe, expect, it } from 'vitest';
import { createRequestPace } from '../../../../lib/providers/task/request-pace.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const SIGNAL = new AbortController().signal;

describe('createRequestPace', () => {
  it('keeps any number of tasks below the limit of an account', async () => {
    const clock = createManualClock();
    const pace = createRequestPace({ clock, requestsPerMinute: 60 });
    let sent = 0;
    const poll = async () => {
      for (;;) {
        await pace.wait(5000, SIGNAL);
        sent += 1;
      }
    };
    for (let task = 0; task < 100; task += 1) void poll();

    await clock.advance(600_000);

    // Ten minutes at 90 percent of the limit.
    expect(sent).toBeGreaterThan(500);
    expect(sent).toBeLessThanOrEqual(600);
  });

  it('does not delay a single task', async () => {
    const clock = createManualClock();
    const pace = createRequestPace({ clock, requestsPerMinute: 60 });
    let isSent = false;
    pace.count();
    void pace.wait(2000, SIGNAL).then(() => {
      isSent = true;
    });

    await clock.advance(2000);

    expect(isSent).toBe(true);
  });
});
