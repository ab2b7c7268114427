import type { SessionReport } from '../contract/reply/image-response.ts';
import type { Session } from '../contract/request/routing.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Provider } from '../providers/provider-port.ts';
import type { SessionLocks } from './session-locks.ts';
import type { SessionId, SessionStore } from './session-store-port.ts';

interface Deps {
  readonly store: SessionStore;
  readonly locks: Pick<SessionLocks, 'acquire'>;
}

/** What one operation asks for. */
interface TurnRequest {
  /** Not isolated. */
  readonly session: Session;
  readonly scope: string;
  readonly provider: Provider;
  readonly model: string;
  readonly requestId: string;
}

/** A session in use by one operation. */
interface SessionTurn {
  readonly threadId: string;
  readonly report: SessionReport;
  /** Lets the next operation begin. A session whose thread the provider no longer has is forgotten. */
  end(failure?: BridgeError): Promise<void>;
}

/** Gives each operation the thread of its session, one operation at a time. */
export function createSessionTurns({ store, locks }: Deps) {
  async function toSessionId({ session, scope, provider }: TurnRequest): Promise<SessionId> {
    const known = { scope, provider: provider.name };
    if (session.key !== undefined) return { ...known, key: session.key };
    const key = await store.findKey({ ...known, threadId: session.thread_id ?? '' });
    if (key === undefined) throw sessionNotFound();
    return { ...known, key };
  }

  /** A thread that no key could be bound to is deleted again. */
  async function bindNewThread(
    id: SessionId,
    { provider, model, requestId }: TurnRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const { sessions } = provider;
    if (!sessions) throw new Error(`provider ${provider.name} offers sessions that it lacks`);
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
    /** Throws `session_not_found` for a thread that was not made in this scope, without waiting for anything. */
    async check(request: TurnRequest): Promise<void> {
      await toSessionId(request);
    },

    /**
     * Waits until the session is free. A key without a thread is bound to a new one. Throws `session_not_found`, the
     * signal's reason, and what the provider throws.
     */
    async begin(request: TurnRequest, signal: AbortSignal): Promise<SessionTurn> {
      const id = await toSessionId(request);
      const release = await locks.acquire(id, signal);
      try {
        const turn = await toTurn(request, id, signal);
        return {
          ...turn,
          async end(failure) {
            // The failure of the turn is the one to report; a row that could not be removed is found again next time.
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

export function sessionNotFound(): BridgeError {
  return new BridgeError('session_not_found', 'there is no such session');
}
