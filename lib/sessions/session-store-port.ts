/** What names a session: the same key is another session in another authorization scope, or at another provider. */
export interface SessionId {
  readonly scope: string;
  readonly provider: string;
  readonly key: string;
}

/**
 * The threads of sessions, for as long as the state lives. Every method is one transaction and has been made durable when
 * it resolves. Throws `overloaded` when the store refuses to write, `internal` when it is damaged.
 */
export interface SessionStore {
  /** Binds the key to a thread that no other session has. It replaces the thread that the key was bound to. */
  bind(session: SessionId, threadId: string): Promise<void>;
  /** The thread that the key is bound to; undefined when there is none. */
  findThread(session: SessionId): Promise<string | undefined>;
  /** The key of the thread; undefined for a thread of another scope, and for one that no key is bound to. */
  findKey(thread: {
    readonly scope: string;
    readonly provider: string;
    readonly threadId: string;
  }): Promise<string | undefined>;
  /** Resolves as well when the key is not bound. */
  remove(session: SessionId): Promise<void>;
}
