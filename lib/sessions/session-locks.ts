import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import type { SessionId } from './session-store-port.ts';

export type SessionLocks = ReturnType<typeof createSessionLocks>;

/** One lock for each session in use: one operation at a time, in the order of the requests. */
export function createSessionLocks() {
  const locks = new Map<string, Semaphore>();

  return {
    /** Resolves with the function that releases the lock. Rejects with the signal's reason when it aborts first. */
    async acquire(session: SessionId, signal: AbortSignal): Promise<() => void> {
      const name = toName(session);
      const lock = locks.get(name) ?? createSemaphore(1);
      locks.set(name, lock);
      const forget = () => {
        const { active, waiting } = lock.counts();
        if (active + waiting === 0) locks.delete(name);
      };
      try {
        const release = await lock.acquire(signal);
        return () => {
          release();
          forget();
        };
      } catch (reason) {
        forget();
        throw reason;
      }
    },

    /** Whether an operation holds the lock or waits for it. */
    isHeld: (session: SessionId): boolean => locks.has(toName(session)),
  };
}

function toName({ scope, provider, key }: SessionId): string {
  return JSON.stringify([scope, provider, key]);
}
