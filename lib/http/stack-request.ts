import type { Caller } from '../contract/request/caller.ts';
import type { Trace } from '../contract/request/request-context.ts';
import type { HttpContext, HttpEvent, HttpReply } from './http-event.ts';
import type { OperationSpec } from './operation-spec.ts';

/** The state of one request. Each member is set by exactly one middleware. */
export interface CallState {
  requestId: string;
  /** The start of the request on the monotonic clock. */
  startedMs: number;
  trace: Trace;
  /** The caller; undefined for a public operation. */
  caller: Caller | undefined;
  path: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  form: unknown;
}

/** middy's request with the types used here. It is used only in this folder. */
export interface StackRequest {
  readonly event: HttpEvent;
  readonly context: HttpContext<unknown> & { call?: CallState | undefined; spec?: OperationSpec };
  response?: HttpReply;
  error?: unknown;
}

/** One step around a handler. */
export interface Middleware {
  readonly before?: (request: StackRequest) => void | Promise<void>;
  readonly after?: (request: StackRequest) => void | Promise<void>;
  readonly onError?: (request: StackRequest) => void | Promise<void>;
}

/** Returns the state of a request. `startCall`, the first middleware, has created the state. */
export function callOf({ context }: Pick<StackRequest, 'context'>): CallState {
  if (!context.call) throw new Error('startCall has not run');
  return context.call;
}
