import { afterEach, describe, expect, it } from 'vitest';
import type { Permits } from '../../lib/admission/permits-port.ts';

interface Opened {
  readonly permits: Permits;
  /** The slots of the same gates as another process sees them. */
  readonly other: Permits;
  /** Ends the lease of the first process, as if the process had ended. */
  die(): Promise<void>;
  close(): Promise<void>;
}

const forever = new AbortController().signal;

/** The contract of the slots that several processes share. */
export function describePermits(label: string, openPermits: () => Promise<Opened>): void {
  describe(`Permits: ${label}`, () => {
    const closing: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
    });

    async function open() {
      const opened = await openPermits();
      closing.push(opened.close);
      return opened;
    }

    it('gives the slots of a gate to all replicas together', async () => {
      const { permits, other } = await open();
      const taken = await Promise.all(
        [permits, other, permits, other, permits].map((at) => at.take('g', 3)),
      );

      expect(taken.filter((release) => release !== undefined)).toHaveLength(3);
      expect(await other.take('g', 3)).toBeUndefined();
      expect(await other.take('another', 3)).toBeDefined();
    });

    it('frees a slot when it is released, once', async () => {
      const { permits, other } = await open();
      const first = await permits.take('g', 1);
      first?.();
      const second = await other.acquire('g', 1, forever);
      first?.();

      expect(await permits.take('g', 1)).toBeUndefined();
      second();
      await permits.acquire('g', 1, forever);
    });

    it('ends the wait for a slot when the signal aborts', async () => {
      const { permits, other } = await open();
      await permits.take('g', 1);
      const client = new AbortController();
      const waiting = other.acquire('g', 1, client.signal);
      client.abort(new Error('gone'));

      await expect(waiting).rejects.toThrow('gone');
    });

    it('frees the slots of a replica when its lease ends', async () => {
      const { permits, other, die } = await open();
      await permits.take('g', 2);
      await permits.take('g', 2);
      const waiting = other.acquire('g', 2, forever);
      await die();

      await waiting;
      expect(await other.take('g', 2)).toBeDefined();
      expect(await other.take('g', 2)).toBeUndefined();
    });

    it('never gives more slots than the limit to 24 competing requests', async () => {
      const { permits, other } = await open();
      let active = 0;
      let most = 0;
      await Promise.all(
        Array.from({ length: 24 }, async (_, nth) => {
          const release = await (nth % 2 === 0 ? permits : other).acquire('g', 4, forever);
          active += 1;
          most = Math.max(most, active);
          await new Promise((resolve) => setImmediate(resolve));
          active -= 1;
          release();
        }),
      );

      expect(most).toBeLessThanOrEqual(4);
      expect(most).toBeGreaterThan(0);
    });
  });
}
