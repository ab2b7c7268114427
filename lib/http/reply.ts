import type { StreamedEvent } from './event-stream.ts';
import type { ReplyBody } from './http-event.ts';

/** What a handler returns: a value for the reply's schema, and the headers that go with it. */
export interface Reply<T> {
  readonly value?: T;
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides the operation's own status, with one of `reply.also`. */
  readonly status?: number;
  /** An answer that is no JSON. */
  readonly body?: ReplyBody;
  /** An answer that goes on: a rejection before the first of them is an answer of its own. */
  readonly events?: AsyncIterable<StreamedEvent>;
}

export function ok<T>(value: T, headers: Readonly<Record<string, string>> = {}): Reply<T> {
  return { value, headers };
}

/** Bytes with headers of their own. */
export function bytes(
  body: ReplyBody | undefined,
  headers: Readonly<Record<string, string>>,
  status?: number,
): Reply<never> {
  return { headers, ...(body ? { body } : {}), ...(status === undefined ? {} : { status }) };
}

/** Events as they come, with headers beside those that every stream has. */
export function stream(
  events: AsyncIterable<StreamedEvent>,
  headers: Readonly<Record<string, string>> = {},
): Reply<never> {
  return { events, headers };
}
