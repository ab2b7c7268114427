import { describe, expect, test } from 'vitest';
import { createNotifier } from '../../../lib/platform/notifier.ts';

describe('createNotifier', () => {
  test('a wait ends at the next notification', async () => {
    const notifier = createNotifier();
    let isOver = false;
    const wait = notifier.wait().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    const before = isOver;

    notifier.notify();
    await wait;

    expect([before, isOver]).toEqual([false, true]);
  });

  test('earlier notifications end exactly one wait at once', async () => {
    const notifier = createNotifier();
    notifier.notify();
    notifier.notify();

    await notifier.wait();
    const waiting = Symbol('waiting');
    const next = await Promise.race([notifier.wait(), Promise.resolve(waiting)]);

    expect(next).toBe(waiting);
  });
});
