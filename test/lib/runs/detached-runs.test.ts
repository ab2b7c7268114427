import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createDetachedRuns } from '../../../lib/runs/detached-runs.ts';

const until = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

describe('createDetachedRuns', () => {
  it('forgets ended runs, successful or not', async () => {
    const detached = createDetachedRuns();
    const good = detached.run(async () => 'done');
    const bad = detached.run(() => Promise.reject(new Error('not')));

    await Promise.allSettled([good.outcome, bad.outcome]);

    expect(detached.size()).toBe(0);
  });

  it('cancels one run and not the others', async () => {
    const detached = createDetachedRuns();
    const reason = new BridgeError('cancelled', 'the client has disconnected');
    const [one] = [detached.run(until), detached.run(until)];

    one.cancel(reason);

    await expect(one.outcome).rejects.toBe(reason);
    expect(detached.size()).toBe(1);
    await detached.close();
  });

  it('waits for its runs when it drains, and cancels them after the grace period', async () => {
    const detached = createDetachedRuns();
    let finish = () => {};
    void detached.run(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const endless = detached.run(until);
    const grace = new AbortController();
    const draining = detached.drain(grace.signal);

    finish();
    await new Promise(setImmediate);
    const left = detached.size();
    grace.abort();
    await draining;

    expect(left).toBe(1);
    await expect(endless.outcome).rejects.toMatchObject({ code: 'cancelled' });
    expect(detached.size()).toBe(0);
  });

  it('cancels work that starts after it has closed', async () => {
    const detached = createDetachedRuns();
    await detached.close();

    const late = detached.run(until);

    await expect(late.outcome).rejects.toMatchObject({ code: 'cancelled' });
  });
});
