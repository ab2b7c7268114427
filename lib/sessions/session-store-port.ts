/** The identity of a session. The same key in another authorization scope or at another provider is another session. */
export interface SessionId {
  readonly scope: string;
  readonly provider: string;
  readonly key: string;
}

/**
 * Stores the threads of sessions without expiry. Every method runs one transaction and resolves when the transaction is durable.
 * Throws `overloaded` if the store cannot write, and `internal` if the store is damaged.
 */
export interface SessionStore {
  /** Binds the key to a thread and replaces an earlier binding of the key. A thread must not be bound to two sessions. */
  bind(session: SessionId, threadId: string): Promise<void>;
  /** Resolves with the thread that the key is bound to, or with undefined if the key is not bound. */
  findThread(session: SessionId): Promise<string | undefined>;
  /** Resolves with the key that is bound to the thread, or with undefined if the scope has no such key. */
  findKey(thread: {
    readonly scope: string;
    readonly provider: string;
    readonly threadId: string;
  }): Promise<string | undefined>;
  /** Removes the binding of the key, if the key is bound. */
  remove(session: SessionId): Promise<void>;
}
