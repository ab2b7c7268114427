import type { RequestContext } from '../../../lib/contract/request/request-context.ts';
import { requestContext } from '../../support/request-context.ts';
import { SCOPE, until } from './job-rig.ts';

/** A client of one event stream, whose connection a test controls. */
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
    /** Its token is not valid any more. */
    revoke(): void {
      for (const listener of [...revocations]) listener();
    },
    isWatched: () => revocations.size > 0,
    /** The reply was sent, as far as it is read. */
    finish(): void {
      for (const listener of listeners) listener(true);
    },
  };
}

/** Reads a stream as fast as it comes. */
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

  /** Resolves when so many items have been read. */
  function untilCount(count: number): Promise<void> {
    return until(() => items.length >= count);
  }
  return read;
}
