import type { SessionBinding } from '../contract/resources/session.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { SessionTurn, SessionTurns, TurnRequest } from '../generation/session-turns-port.ts';
import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import type { Provider } from '../providers/provider-port.ts';
import type { SessionId, SessionStore } from './session-store-port.ts';

interface Deps {
  readonly store: SessionStore;
  readonly locks: SessionLocks;
  readonly findProvider: (name: string) => Provider | undefined;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Returns and deletes the sessions that image requests have started. */
export function createSessions({ store, locks, findProvider }: Deps) {
  /** Finds a session. Also throws `session_not_found` if the provider is disabled or has no sessions. */
  async function find(id: SessionId) {
    const sessions = findProvider(id.provider)?.sessions;
    const threadId = sessions && (await store.findThread(id));
    if (!sessions || threadId === undefined) throw sessionNotFound();
    return { threadId, sessions };
  }

  return {
    /** Resolves with the thread of a session. Throws `session_not_found`. */
    async get(id: SessionId): Promise<SessionBinding> {
      const { threadId } = await find(id);
      return { key: id.key, thread_id: threadId, reused: true };
    },

    /**
     * Deletes the thread, then the binding. If the process stops in between, the next use of the session removes the binding.
     * Throws `session_not_found`, `session_busy` if an operation uses or awaits the session, and the error of the provider.
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

export function createSessionTurns({ store, locks }: Pick<Deps, 'store' | 'locks'>): SessionTurns {
  async function toSessionId({ session, scope, provider }: TurnRequest): Promise<SessionId> {
    const known = { scope, provider: provider.name };
    if (session.key !== undefined) return { ...known, key: session.key };
    const key = await store.findKey({ ...known, threadId: session.thread_id ?? '' });
    if (key === undefined) throw sessionNotFound();
    return { ...known, key };
  }

  /** Creates a thread and binds the key to the thread. If the binding fails, deletes the thread. */
  async function bindNewThread(
    id: SessionId,
    { provider, model, requestId }: TurnRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const { sessions } = provider;
    if (!sessions) throw new Error(`provider ${provider.name} reports sessions but has none`);
    const threadId = await sessions.createThread({ model, requestId }, signal).catch((thrown) => {
      throw signal.aborted ? thrown : toBridgeError(thrown).with({ provider: provider.name });
    });
    try {
      await store.bind(id, threadId);
    } catch (failure) {
      await sessions.deleteThread(threadId, signal).catch(() => {});
      throw failure;
    }
    return threadId;
  }

  async function toTurn(
    request: TurnRequest,
    id: SessionId,
    signal: AbortSignal,
  ): Promise<Omit<SessionTurn, 'end'>> {
    const { thread_id: wanted } = request.session;
    const bound = await store.findThread(id);
    // The session may have been deleted while this operation waited.
    if (wanted !== undefined && wanted !== bound) throw sessionNotFound();
    const threadId = bound ?? (await bindNewThread(id, request, signal));
    const key = wanted === undefined ? { key: id.key } : {};
    return { threadId, report: { ...key, thread_id: threadId, reused: bound !== undefined } };
  }

  return {
    async check(request) {
      await toSessionId(request);
    },

    async begin(request, signal) {
      const id = await toSessionId(request);
      const release = await locks.acquire(id, signal);
      try {
        const turn = await toTurn(request, id, signal);
        return {
          ...turn,
          async end(failure) {
            // An error of `remove` is ignored, because the next turn of the session removes the binding.
            if (failure?.code === 'session_not_found') await store.remove(id).catch(() => {});
            release();
          },
        };
      } catch (failure) {
        release();
        throw failure;
      }
    },
  };
}

function sessionNotFound(): BridgeError {
  return new BridgeError('session_not_found', 'session not found');
}

type SessionLocks = ReturnType<typeof createSessionLocks>;

/** Creates one lock for each session. A lock admits one operation at a time, in the order of the requests. */
export function createSessionLocks() {
  const locks = new Map<string, Semaphore>();

  return {
    /** Resolves with the function that releases the lock. Rejects with the signal's reason if the signal aborts first. */
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

    /** Returns true if an operation holds the lock or waits for it. */
    isHeld: (session: SessionId): boolean => locks.has(toName(session)),
  };
}

function toName({ scope, provider, key }: SessionId): string {
  return JSON.stringify([scope, provider, key]);
}
