import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionStore } from '../../lib/sessions/session-store-port.ts';

interface Opened {
  readonly store: SessionStore;
  /** Another store on the same state, after the first one has been closed. */
  reopen(): Promise<SessionStore>;
  close(): Promise<void>;
}

const SESSION = { scope: 'scope-1', provider: 'agent', key: 'storyboard' };
const OTHERS = [
  { ...SESSION, scope: 'scope-2' },
  { ...SESSION, provider: 'another' },
  { ...SESSION, key: 'Storyboard' },
];

/** The contract of every session store. */
export function describeSessionStore(label: string, open: () => Promise<Opened>): void {
  describe(`SessionStore: ${label}`, () => {
    let opened: Opened;
    let store: SessionStore;

    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterEach(() => opened.close());

    test('a key finds its thread, and a thread its key', async () => {
      await store.bind(SESSION, 'thread-1');

      expect(await store.findThread(SESSION)).toBe('thread-1');
      expect(await store.findKey({ ...SESSION, threadId: 'thread-1' })).toBe('storyboard');
    });

    test.each(OTHERS)('%j is another session', async (other) => {
      await store.bind(SESSION, 'thread-1');

      expect(await store.findThread(other)).toBeUndefined();
      await store.bind(other, 'thread-2');
      await store.remove(other);
      expect(await store.findThread(SESSION)).toBe('thread-1');
    });

    test.each(OTHERS.slice(0, 2))('the thread of a session is not one of %j', async (other) => {
      await store.bind(SESSION, 'thread-1');

      expect(await store.findKey({ ...other, threadId: 'thread-1' })).toBeUndefined();
    });

    test('a key that is bound again loses its first thread', async () => {
      await store.bind(SESSION, 'thread-1');
      await store.bind(SESSION, 'thread-2');

      expect(await store.findThread(SESSION)).toBe('thread-2');
      expect(await store.findKey({ ...SESSION, threadId: 'thread-1' })).toBeUndefined();
    });

    test('a thread belongs to one session', async () => {
      await store.bind(SESSION, 'thread-1');

      await expect(store.bind({ ...SESSION, key: 'second' }, 'thread-1')).rejects.toMatchObject({
        code: 'internal',
      });
      expect(await store.findThread(SESSION)).toBe('thread-1');
    });

    test('a removed session is not found, and may be removed again', async () => {
      await store.bind(SESSION, 'thread-1');

      await store.remove(SESSION);
      await store.remove(SESSION);

      expect(await store.findThread(SESSION)).toBeUndefined();
      expect(await store.findKey({ ...SESSION, threadId: 'thread-1' })).toBeUndefined();
    });

    test('sessions are kept after the process has ended', async () => {
      await store.bind(SESSION, 'thread-1');

      const next = await opened.reopen();

      expect(await next.findThread(SESSION)).toBe('thread-1');
    });
  });
}
