import type { RequestContext } from '../../../lib/contract/request/request-context.ts';
import { requestContext } from '../../support/request-context.ts';
import { SCOPE, until } from './job-rig.ts';

/** Creates a client of one event stream. The test controls its connection. */
export function createStreamClient(scope = SCOPE) {
  const connection = new AbortController();
  const listeners: ((isComplete: boolean) => void)[] = [];
  const revocations = new Set<() => void>();
  const context: RequestContext = requestContext({
    scope,
    signal: () => connection.signal,
    onReplied: (listener) => void listeners.push(listener),
    onRevoked(listener) {
      revocations.add(listener);
      return () => void revocations.delete(listener);
    },
  });
  return {
    context,
    disconnect: () => connection.abort(),
    /** Revokes the token of the client. */
    revoke(): void {
      for (const listener of [...revocations]) listener();
    },
    isWatched: () => revocations.size > 0,
    /** Ends the reply as if it was sent completely. */
    finish(): void {
      for (const listener of listeners) listener(true);
    },
  };
}

/** Reads a stream without delay. */
export function readAll<T>(stream: AsyncIterable<T>) {
  const items: T[] = [];
  const read = { items, hasEnded: false, failure: undefined as unknown, until: untilCount };
  void (async () => {
    try {
      for await (const item of stream) items.push(item);
    } catch (error) {
      read.failure = error;
    }
    read.hasEnded = true;
  })();

  /** Resolves when this many items have been read. */
  function untilCount(count: number): Promise<void> {
    return until(() => items.length >= count);
  }
  return read;
}
