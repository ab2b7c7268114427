import type { Readable } from 'node:stream';
import type { Caller } from '../contract/request/caller.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { RequestLimits } from '../contract/schema/request-limits.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { BodyBudget } from './body/body-budget.ts';
import type { HttpObserver } from './observer-port.ts';

/**
 * One request in the format of API Gateway HTTP APIs (payload version 2.0), except that the body may be bytes or a stream. Header
 * names are lowercase, and repeated headers are joined by a comma.
 */
export interface HttpEvent {
  readonly version: '2.0';
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly requestContext: { readonly http: { readonly method: string; readonly path: string } };
  body?: Buffer | Readable | string | undefined;
  readonly isBase64Encoded: boolean;
}

/**
 * The whole body, or its chunks, which are requested at the pace of the client. The bytes of a chunk are valid until the next chunk
 * is requested.
 */
export type ReplyBody = Uint8Array | AsyncIterable<Uint8Array>;

/** One reply in the format of API Gateway, except that the body may be a stream. */
export interface HttpReply {
  readonly statusCode: number;
  /** The headers. Replies must not share this object, because middlewares add headers. */
  readonly headers: Record<string, string>;
  readonly body?: ReplyBody;
}

/** The settings and dependencies of HTTP handling. All requests share this object. */
export interface HttpSettings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly access: Access;
  readonly maxBodyBytes: number;
  readonly bodies: BodyBudget;
  /** The maximum pause while a body is received, in milliseconds. 0 means no limit. */
  readonly bodyIdleMs: number;
  readonly limits: RequestLimits;
  /** `server.public_base_url` without a trailing slash. */
  readonly publicBaseUrl: string | undefined;
  readonly observer?: HttpObserver;
  /** The log for failures of the bridge itself. */
  readonly log?: Pick<TraceLog, 'failure'>;
}

/** The callers with named tokens, by the SHA-256 of the token in lowercase hexadecimal. */
export interface NamedCallers {
  /** Returns the caller, or undefined if no valid token has this SHA-256. */
  find(sha256: string): Caller | undefined;
  /** See `Access.watch`. */
  watch(sha256: string, stillMay: (caller: Caller) => boolean, onEnd: () => void): () => void;
}

export interface Access {
  /** Returns the caller, or undefined if the header has no valid token. */
  authenticate(authorization: string | undefined): Caller | undefined;
  /**
   * Calls `onEnd`, at least once, within seconds after the token is revoked, expires or loses the permission that `stillMay`
   * checks. Returns a function that ends the watch.
   */
  watch(
    authorization: string | undefined,
    stillMay: (caller: Caller) => boolean,
    onEnd: () => void,
  ): () => void;
  /** Returns true if `Host` names this bridge, or if a token is required, because a token prevents DNS rebinding. */
  isOurHost(host: string): boolean;
}

/** The second argument that the runtime passes to a handler. */
export interface HttpContext<Services> {
  readonly services: Services;
  readonly settings: HttpSettings;
  /** The path of the route as written in the route table. Absent if no route matches the request. */
  readonly route?: string | undefined;
  /** See `RequestContext`. */
  readonly signal: RequestContext['signal'];
  readonly onReplied: RequestContext['onReplied'];
}
