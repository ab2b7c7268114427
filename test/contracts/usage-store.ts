import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Reservation, UsageStore } from '../../lib/usage/usage-store-port.ts';

interface Opened {
  readonly store: UsageStore;
  /** Another store on the same state, after the first one has been closed. */
  reopen(): Promise<UsageStore>;
  close(): Promise<void>;
}

const TODAY = { token: 'alice', day: 20_000 };
const MADE = { provider: 'sandbox', images: 2, failed: 1, tokens: 30 };

function reservation(images: number, allowance?: number): Reservation {
  return { ...TODAY, images, allowance, retryAfterMs: 5000 };
}

/** The contract of every usage store. */
export function describeUsageStore(label: string, open: () => Promise<Opened>): void {
  describe(`UsageStore: ${label}`, () => {
    let opened: Opened;
    let store: UsageStore;

    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterEach(() => opened.close());

    test('an allowance is used up to its last image, and not beyond', async () => {
      await store.reserve(reservation(7, 10));
      await store.reserve(reservation(3, 10));

      await expect(store.reserve(reservation(1, 10))).rejects.toMatchObject({
        code: 'rate_limited',
        details: { reason: 'allowance', images_per_day: 10, remaining: 0, retry_after_ms: 5000 },
      });
      expect(await store.charged(TODAY)).toBe(10);
    });

    test('a refused reservation uses nothing of the allowance', async () => {
      await expect(store.reserve(reservation(11, 10))).rejects.toThrow();

      await store.reserve(reservation(10, 10));
    });

    test('a hundred reservations at once never exceed the allowance', async () => {
      const tries = Array.from({ length: 100 }, () => store.reserve(reservation(3, 100)));

      const ended = await Promise.allSettled(tries);

      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(33);
      expect(await store.charged(TODAY)).toBe(99);
    });

    test('an image that is given back can be asked for again', async () => {
      await store.reserve(reservation(3, 3));
      await store.settle({ ...TODAY, ...MADE, givenBack: 1 });

      await store.reserve(reservation(1, 3));

      expect(await store.charged(TODAY)).toBe(3);
    });

    test('images that were not reserved count when they are made', async () => {
      await store.settle({ ...TODAY, ...MADE, givenBack: -2 });

      expect(await store.charged(TODAY)).toBe(2);
    });

    test('each token and each day has an allowance of its own', async () => {
      await store.reserve(reservation(3, 3));

      await store.reserve({ ...reservation(3, 3), token: 'bob' });
      await store.reserve({ ...reservation(3, 3), day: TODAY.day + 1 });

      expect(await store.charged(TODAY)).toBe(3);
    });

    test('usage adds up by day and provider, the latest day first', async () => {
      const settlement = { ...TODAY, ...MADE, givenBack: 0 };
      await store.settle(settlement);
      await store.settle({ ...settlement, tokens: undefined });
      await store.settle({ ...settlement, provider: 'another', failed: 0, tokens: undefined });
      await store.settle({ ...settlement, day: TODAY.day + 1 });
      await store.settle({ ...settlement, token: 'bob' });

      expect(await store.list(TODAY)).toEqual([
        { ...MADE, day: TODAY.day + 1 },
        { day: TODAY.day, provider: 'another', images: 2, failed: 0, tokens: undefined },
        { day: TODAY.day, provider: 'sandbox', images: 4, failed: 2, tokens: 30 },
      ]);
      expect(await store.list({ ...TODAY, day: TODAY.day + 2 })).toEqual([]);
    });

    test('what is older than a day is removed', async () => {
      await store.settle({ ...TODAY, ...MADE, givenBack: -2 });
      await store.settle({ ...TODAY, ...MADE, day: TODAY.day + 1, givenBack: -2 });

      await store.prune(TODAY.day + 1);

      expect(await store.list(TODAY)).toHaveLength(1);
      expect(await store.charged(TODAY)).toBe(0);
    });

    test('reservations and usage are kept after the process has ended', async () => {
      await store.reserve(reservation(3, 10));
      await store.settle({ ...TODAY, ...MADE, givenBack: 1 });

      const next = await opened.reopen();

      expect(await next.charged(TODAY)).toBe(2);
      expect(await next.list(TODAY)).toHaveLength(1);
    });
  });
}
