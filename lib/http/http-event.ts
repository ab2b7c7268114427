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
 * One request in API Gateway's HTTP API shape (payload version 2.0), as far as a handler needs it. Inside one process
 * the body may stay a stream of bytes. Header names are lower-case; repeated headers are joined by a comma.
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

/** All bytes, or a sequence of pieces. Pieces are requested as the client reads them. */
export type ReplyBody = Uint8Array | AsyncIterable<Uint8Array>;

/** One reply in API Gateway's shape. Its body may be a stream too. */
export interface HttpReply {
  readonly statusCode: number;
  /** Not shared with other replies: middlewares may add to them. */
  readonly headers: Record<string, string>;
  readonly body?: ReplyBody;
}

/** What HTTP handling needs, the same for every request. */
export interface HttpSettings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly access: Access;
  readonly maxBodyBytes: number;
  /** The memory of the bodies of all requests. */
  readonly bodies: BodyBudget;
  /** How long a body may pause while it is read; 0 lets it pause for ever. */
  readonly bodyIdleMs: number;
  readonly limits: RequestLimits;
  /** `server.public_base_url` without a slash at the end. */
  readonly publicBaseUrl: string | undefined;
  /** Is notified of every reply. */
  readonly observer?: HttpObserver;
  /** Where failures of the bridge itself are reported. */
  readonly log?: Pick<TraceLog, 'failure'>;
}

/** The callers with tokens of their own, by the SHA-256 of the token in lower-case hexadecimal. */
export interface NamedCallers {
  /** Undefined when there is no such token that is valid now. */
  find(sha256: string): Caller | undefined;
  /** As `Access.watch`. */
  watch(sha256: string, stillMay: (caller: Caller) => boolean, onEnd: () => void): () => void;
}

/** Who may call. */
export interface Access {
  /** The caller, or undefined when the header has no valid token. */
  authenticate(authorization: string | undefined): Caller | undefined;
  /**
   * Calls `onEnd`, at least once, seconds after the header has stopped having a valid token whose caller still may do what
   * was begun. Returns how to end the watch.
   */
  watch(
    authorization: string | undefined,
    stillMay: (caller: Caller) => boolean,
    onEnd: () => void,
  ): () => void;
  /** Whether `Host` is one of ours. Always true with a bearer, which protects against DNS rebinding. */
  isOurHost(host: string): boolean;
}

/** What the runtime passes to a handler beside the event. */
export interface HttpContext<Services> {
  readonly services: Services;
  readonly settings: HttpSettings;
  /** The path of the route as the table writes it. Absent when no route has the request's path. */
  readonly route?: string | undefined;
  /** As in `RequestContext`. */
  readonly signal: RequestContext['signal'];
  readonly onReplied: RequestContext['onReplied'];
}
