import type { Caller } from './caller.ts';

/** The W3C trace context of one request: the trace of the caller and the span of the bridge. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

/** The facts of one HTTP request that services use. */
export interface RequestContext {
  /** The id of the operation that the request was routed to. */
  readonly operationId: string;
  readonly requestId: string;
  readonly trace: Trace;
  readonly scope: string;
  readonly caller: Caller;
  /** The scheme and authority of the bridge as seen by the client, used for links in replies. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`, if the operation declares it. */
  readonly idempotencyKey: string | undefined;
  /** The raw header `x-stainless-retry-count`, if the operation declares it. */
  readonly retryCount: string | undefined;
  /** The raw header `Prefer`, if the operation declares it. */
  readonly prefer: string | undefined;
  /** Returns a signal that aborts when the client disconnects. */
  readonly signal: () => AbortSignal;
  /** Calls the listener once when the reply has ended, with false if the client disconnected before the end. */
  readonly onReplied: (listener: (isComplete: boolean) => void) => void;
  /**
   * Calls the listener, at least once, within seconds after the token of the request expires, is replaced, disabled or removed,
   * or loses the permission for the operation. Returns a function that stops the watch.
   */
  readonly onRevoked: (listener: () => void) => () => void;
}
