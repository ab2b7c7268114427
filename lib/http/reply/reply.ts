import { splitHeader } from '../../platform/header-text.ts';
import type { ReplyBody } from '../http-event.ts';
import type { StreamItem } from './event-stream.ts';

/** The result of a handler. */
export interface Reply<T> {
  /** The value of a JSON reply. */
  readonly value?: T;
  readonly headers?: Readonly<Record<string, string>>;
  /** A status listed in `reply.also` of the operation. By default, `reply.status` of the operation. */
  readonly status?: number;
  /** The body of a reply that is not JSON. */
  readonly body?: ReplyBody;
  /** The events of a stream. A rejection before the first event becomes an error reply. */
  readonly events?: AsyncIterable<StreamItem>;
}

export function ok<T>(value: T, headers: Readonly<Record<string, string>> = {}): Reply<T> {
  return { value, headers };
}

export function bytes(
  body: ReplyBody | undefined,
  headers: Readonly<Record<string, string>>,
  status?: number,
): Reply<never> {
  return { headers, ...(body ? { body } : {}), ...(status === undefined ? {} : { status }) };
}

/** Returns a reply with a stream of events. `headers` are sent in addition to `EVENT_STREAM_HEADERS`. */
export function stream(
  events: AsyncIterable<StreamItem>,
  headers: Readonly<Record<string, string>> = {},
): Reply<never> {
  return { events, headers };
}

/** Returns true if the client already has the version with this etag. The comparison is weak (RFC 9110, section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = splitHeader(ifNoneMatch, ',', false).map((tag) => tag.replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
