import type { ReplyBody } from '../http-event.ts';
import type { StreamItem } from './event-stream.ts';

/** What a handler returns: a value for the reply's schema, or bytes or events, and headers. */
export interface Reply<T> {
  readonly value?: T;
  readonly headers?: Readonly<Record<string, string>>;
  /** One of `reply.also` instead of the operation's own status. */
  readonly status?: number;
  /** A reply that is not JSON. */
  readonly body?: ReplyBody;
  /** A stream. A rejection before its first event becomes an error reply. */
  readonly events?: AsyncIterable<StreamItem>;
}

export function ok<T>(value: T, headers: Readonly<Record<string, string>> = {}): Reply<T> {
  return { value, headers };
}

/** A reply of bytes. */
export function bytes(
  body: ReplyBody | undefined,
  headers: Readonly<Record<string, string>>,
  status?: number,
): Reply<never> {
  return { headers, ...(body ? { body } : {}), ...(status === undefined ? {} : { status }) };
}

/** A reply of events, with headers in addition to those of every stream. */
export function stream(
  events: AsyncIterable<StreamItem>,
  headers: Readonly<Record<string, string>> = {},
): Reply<never> {
  return { events, headers };
}
