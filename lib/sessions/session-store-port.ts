/**
 * The identity of a session. The same key names different sessions in different authorization scopes and at different providers.
 */
export interface SessionId {
  readonly scope: string;
  readonly provider: string;
  readonly key: string;
}

/**
 * Stores the threads of sessions without expiry. Every method is one transaction and is durable when it resolves. Throws
 * `overloaded` if the store cannot write, and `internal` if the store is damaged.
 */
export interface SessionStore {
  /** Binds the key to a thread, in place of the thread to which it was bound before. No other session may have the thread. */
  bind(session: SessionId, threadId: string): Promise<void>;
  /** Returns the thread to which the key is bound. Undefined if the key is not bound. */
  findThread(session: SessionId): Promise<string | undefined>;
  /** Returns the key that is bound to the thread. Undefined if there is no such key in the scope. */
  findKey(thread: {
    readonly scope: string;
    readonly provider: string;
    readonly threadId: string;
  }): Promise<string | undefined>;
  /** Removes the binding of the key. Resolves also if the key is not bound. */
  remove(session: SessionId): Promise<void>;
}
