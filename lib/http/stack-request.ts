import type { Caller } from '../contract/request/caller.ts';
import type { Trace } from '../contract/request/request-context.ts';
import type { HttpContext, HttpEvent, HttpReply } from './http-event.ts';
import type { OperationSpec } from './operation-spec.ts';

/** What the middlewares have set for one request. Each member is set by exactly one of them. */
export interface CallState {
  requestId: string;
  /** Monotonic. */
  startedMs: number;
  trace: Trace;
  /** Undefined for a public operation. */
  caller: Caller | undefined;
  path: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  form: unknown;
}

/** middy's request in our types. It is used only in this folder. */
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

/** The state of a request on which `startCall` has run, as it does first on all of them. */
export function callOf({ context }: Pick<StackRequest, 'context'>): CallState {
  if (!context.call) throw new Error('startCall has not run');
  return context.call;
}
