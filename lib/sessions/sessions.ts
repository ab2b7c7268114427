import type { SessionBinding } from '../contract/resources/session.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Provider, ProviderSessions } from '../providers/provider-port.ts';
import type { SessionLocks } from './session-locks.ts';
import type { SessionId, SessionStore } from './session-store-port.ts';
import { sessionNotFound } from './session-turns.ts';

interface Deps {
  readonly store: SessionStore;
  readonly locks: SessionLocks;
  readonly findProvider: (name: string) => Provider | undefined;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Shows and deletes the sessions that image requests have started. */
export function createSessions({ store, locks, findProvider }: Deps) {
  /** Throws `session_not_found`, as a provider that is off or has no sessions has no session of that key. */
  async function find(
    id: SessionId,
  ): Promise<{ readonly threadId: string; readonly sessions: ProviderSessions }> {
    const sessions = findProvider(id.provider)?.sessions;
    const threadId = sessions && (await store.findThread(id));
    if (!sessions || threadId === undefined) throw sessionNotFound();
    return { threadId, sessions };
  }

  return {
    /** Throws `session_not_found`. */
    async get(id: SessionId): Promise<SessionBinding> {
      const { threadId } = await find(id);
      return { key: id.key, thread_id: threadId, reused: true };
    },

    /**
     * Deletes the thread, then the binding: a binding whose thread no longer exists is removed at its next use. Throws
     * `session_not_found`, `session_busy` while an operation uses the session or waits for it, and what the provider throws.
     */
    async remove(id: SessionId, signal: AbortSignal): Promise<void> {
      if (locks.isHeld(id)) throw new BridgeError('session_busy', 'the session is in use');
      const release = await locks.acquire(id, signal);
      try {
        const { threadId, sessions } = await find(id);
        await sessions.deleteThread(threadId, signal).catch((thrown) => {
          throw toBridgeError(thrown).with({ provider: id.provider });
        });
        await store.remove(id);
      } finally {
        release();
      }
    },
  };
}
