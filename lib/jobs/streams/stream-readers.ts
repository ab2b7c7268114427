import type { RequestContext } from '../../contract/request/request-context.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createNotifier, type Notifier } from '../../platform/notifier.ts';
import type { JobNotice, JobNotices } from './job-notices.ts';

/** What an event stream needs of the request that opens it. */
export type StreamContext = Pick<RequestContext, 'scope' | 'signal' | 'onReplied' | 'onRevoked'>;

/** One open stream: what it waits for, and its place among the streams of its scope. */
export interface StreamReader extends Pick<Notifier, 'wait'> {
  /** Throws `authentication_required` once the token of the stream does not allow it any more. */
  refuseRevoked(): void;
  /** Whether its client has disconnected, or nothing more can happen here. Throws as `refuseRevoked`. */
  isOver(): boolean;
  /** Gives up the subscription and the place. To be called at the end of the stream; the end of its connection does the same. */
  close(): void;
}

const MAX_STREAMS = 64;
// When another stream ends is up to its reader; asking again is cheap.
const RETRY_AFTER_MS = 1000;

/** Counts the open streams of each scope, and connects them with what happens. */
export function createStreamReaders(notices: Pick<JobNotices, 'subscribe' | 'isOver'>) {
  const open = new Map<string, number>();

  function admit(scope: string): () => void {
    const count = open.get(scope) ?? 0;
    if (count >= MAX_STREAMS) throw tooMany();
    open.set(scope, count + 1);
    return () => {
      const left = (open.get(scope) ?? 1) - 1;
      if (left === 0) open.delete(scope);
      else open.set(scope, left);
    };
  }

  /**
   * A reader that `onNotice` keeps up to date; it is woken where that returns true. Throws `rate_limited` when the scope
   * has as many streams as it may have.
   */
  return function openReader(
    { scope, signal: clientSignal, onReplied, onRevoked }: StreamContext,
    onNotice: (notice: JobNotice) => boolean,
  ): StreamReader {
    const release = admit(scope);
    const notifier = createNotifier();
    const signal = clientSignal();
    let isClosed = false;
    let isRevoked = false;
    const unsubscribe = notices.subscribe((notice) => {
      if (onNotice(notice) || notice.type === 'over') notifier.notify();
    });
    const unwatch = onRevoked(() => {
      isRevoked = true;
      notifier.notify();
    });
    const refuseRevoked = () => {
      if (isRevoked) throw new BridgeError('authentication_required', 'the token is not valid now');
    };
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      release();
      unsubscribe();
      unwatch();
      signal.removeEventListener('abort', close);
      notifier.notify();
    };
    // Only the signal knows of a client that disconnected before, only the reply of one that was sent without its body.
    signal.addEventListener('abort', close, { once: true });
    onReplied(close);
    if (signal.aborted) close();
    const isOver = () => {
      refuseRevoked();
      return isClosed || notices.isOver();
    };
    return { wait: notifier.wait, refuseRevoked, isOver, close };
  };
}

function tooMany(): BridgeError {
  return new BridgeError('rate_limited', `${MAX_STREAMS} event streams of this token are open`, {
    details: { reason: 'too_many_streams', limit: MAX_STREAMS, retry_after_ms: RETRY_AFTER_MS },
  });
}
