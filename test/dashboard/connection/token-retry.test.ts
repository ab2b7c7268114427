import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller, ConnectionState } from '../../../dashboard/src/connection/connection.ts';
import { createTokenRetry } from '../../../dashboard/src/connection/token-retry.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Creates a retry of the token `first`, which the bridge rejects until `isAccepted` is true. */
function openPage({ token = 'first', caller = 'first' } = {}) {
  const page = Object.assign(new EventTarget(), { hidden: false });
  const connection = {
    state: signal<ConnectionState>('unauthorized'),
    token: signal<string | undefined>(token),
    caller: signal<Caller | undefined>({ token: caller, isAccepted: true }),
  };
  const seen = { attempts: 0, isAccepted: false };
  const api = {
    GET: async () => {
      seen.attempts += 1;
      if (seen.isAccepted) connection.state.value = 'connected';
    },
  };
  // The test needs only the reading of one route.
  const retry = createTokenRetry({ api: api as never, connection, page: page as never });
  return { page, connection, seen, retry };
}

describe('createTokenRetry', () => {
  it('asks again with growing pauses of at most a minute', async () => {
    const { seen } = openPage();

    await vi.advanceTimersByTimeAsync(2000);
    expect(seen.attempts).toBe(1);
    await vi.advanceTimersByTimeAsync(4000 + 8000 + 16_000 + 32_000);
    expect(seen.attempts).toBe(5);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(seen.attempts).toBe(7);
  });

  it('does not ask any more when the token is accepted', async () => {
    const { seen } = openPage();
    seen.isAccepted = true;

    await vi.advanceTimersByTimeAsync(600_000);

    expect(seen.attempts).toBe(1);
  });

  it('asks at once when asked to, and once for several requests at the same time', async () => {
    const { seen, retry } = openPage();

    await Promise.all([retry.run(), retry.run()]);

    expect(seen.attempts).toBe(1);
  });

  it('does not send again a token that the user has typed and that the bridge has never accepted', async () => {
    const { seen, retry } = openPage({ token: 'mistyped' });

    await vi.advanceTimersByTimeAsync(600_000);

    expect(seen.attempts).toBe(0);
    expect(retry.isWorthTrying).toBe(false);
  });

  it('asks nothing while nobody looks at the page, and at once when the page is looked at again', async () => {
    const { seen, page } = openPage();
    page.hidden = true;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(seen.attempts).toBe(0);

    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));

    expect(seen.attempts).toBe(1);
  });
});
