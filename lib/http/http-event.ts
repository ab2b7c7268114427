import type { Readable } from 'node:stream';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { RequestLimits } from '../contract/schema/request-limits.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { HttpObserver } from './observer-port.ts';

/** An authorization scope: whoever holds the same token sees the same resources (contract.md 11). */
export type Scope = string;

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

/** Bytes at once, or bytes as they come; whoever sends them respects backpressure. */
export type ReplyBody = Uint8Array | AsyncIterable<Uint8Array>;

/** One answer in API Gateway's shape, with the same freedom for the body. */
export interface HttpReply {
  readonly statusCode: number;
  /** Its own: whoever it passes may add to them. */
  readonly headers: Record<string, string>;
  readonly body?: ReplyBody;
}

/** What the edge of the service decides by, the same for every request. */
export interface HttpSettings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly access: Access;
  readonly maxBodyBytes: number;
  readonly limits: RequestLimits;
  /** `server.public_base_url`, without a slash at its end. */
  readonly publicBaseUrl: string | undefined;
  /** Is told of every answer. */
  readonly observer?: HttpObserver;
  /** Where failures of the bridge itself are reported. */
  readonly log?: Pick<TraceLog, 'failure'>;
}

/** Who may call. */
export interface Access {
  /** The caller's scope, or undefined when the header does not grant one. Takes constant time. */
  authenticate(authorization: string | undefined): Scope | undefined;
  /** Whether `Host` may be trusted to be ours; always so when a bearer protects against rebinding. */
  isOurHost(host: string): boolean;
}

/** What the runtime hands a handler beside the event. */
export interface HttpContext<Services> {
  readonly services: Services;
  readonly settings: HttpSettings;
  /** The path of the route as the table writes it; absent where no route has the request's path. */
  readonly route?: string | undefined;
  /** As in `RequestContext`. */
  readonly signal: RequestContext['signal'];
  readonly onReplied: RequestContext['onReplied'];
}
