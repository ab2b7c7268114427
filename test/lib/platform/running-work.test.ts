import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createRunningWork } from '../../../lib/platform/running-work.ts';

const stopping = new BridgeError('cancelled', 'the bridge is stopping');

const until = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

describe('createRunningWork', () => {
  it('forgets ended work, successful or not', async () => {
    const running = createRunningWork();
    const good = running.start(async () => 'done');
    const bad = running.start(() => Promise.reject(new Error('not')));
    const tracked = running.track(Promise.resolve('tracked'));

    await Promise.allSettled([good.result, bad.result, tracked]);

    expect(running.size()).toBe(0);
  });

  it('cancels one piece of work, and not the other work', async () => {
    const running = createRunningWork();
    const reason = new BridgeError('cancelled', 'the client has disconnected');
    const [one] = [running.start(until), running.start(until)];

    one.cancel(reason);

    await expect(one.result).rejects.toBe(reason);
    expect(running.size()).toBe(1);
    await running.close(stopping);
  });

  it('cancels work with the signal that the work follows', async () => {
    const running = createRunningWork();
    const followed = new AbortController();
    const { result } = running.start(until, followed.signal);

    followed.abort(stopping);

    await expect(result).rejects.toBe(stopping);
  });

  it('waits for its work when it drains, and cancels the work after the grace period', async () => {
    const running = createRunningWork();
    const finishing = Promise.withResolvers<void>();
    void running.start(() => finishing.promise);
    const endless = running.start(until);
    const grace = new AbortController();
    const draining = running.drain(grace.signal, stopping);

    finishing.resolve();
    await new Promise(setImmediate);
    const left = running.size();
    grace.abort();
    await draining;

    expect(left).toBe(1);
    await expect(endless.result).rejects.toBe(stopping);
    expect(running.size()).toBe(0);
  });

  it('waits for tracked work when it closes', async () => {
    const running = createRunningWork();
    const tracked = Promise.withResolvers<void>();
    void running.track(tracked.promise);
    let hasClosed = false;
    const closing = running.close(stopping).then(() => {
      hasClosed = true;
    });

    await new Promise(setImmediate);
    const before = hasClosed;
    tracked.resolve();
    await closing;

    expect([before, hasClosed]).toEqual([false, true]);
  });

  it('cancels work that starts after it has closed', async () => {
    const running = createRunningWork();
    await running.close(stopping);

    const late = running.start(until);

    await expect(late.result).rejects.toBe(stopping);
  });
});
