import type { Caller } from './caller.ts';

/** W3C trace context of one request: the caller's trace, our span. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

/** One HTTP request, as the services know it: made once, and passed on as it is. */
export interface RequestContext {
  /** Of the operation that the request was routed to. */
  readonly operationId: string;
  readonly requestId: string;
  readonly trace: Trace;
  /** The authorization scope of the caller. */
  readonly scope: string;
  readonly caller: Caller;
  /** Scheme and authority under which the client reaches this bridge, for links in replies. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`, where the operation takes it. */
  readonly idempotencyKey: string | undefined;
  /** The header `x-stainless-retry-count` as it was sent, where the operation takes it. */
  readonly retryCount: string | undefined;
  /** The header `Prefer` as it was sent, where the operation takes it. */
  readonly prefer: string | undefined;
  /** Aborts when the client disconnects. Created on first use: most replies wait for nothing. */
  readonly signal: () => AbortSignal;
  /**
   * Calls the listener once, when the connection has no more use for the reply: with true after all of it was written,
   * with false when the client disconnected before.
   */
  readonly onReplied: (listener: (isComplete: boolean) => void) => void;
  /**
   * Calls the listener, at least once, seconds after the token of the request has stopped allowing it: it has expired, was
   * replaced, disabled or removed, or lacks the permission. Returns how to stop listening.
   */
  readonly onRevoked: (listener: () => void) => () => void;
}
