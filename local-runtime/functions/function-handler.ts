import { handler as methodNotAllowed } from '../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../handlers/errors/not-found.ts';
import type { Route } from '../../handlers/routes.ts';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpEvent, HttpReply, HttpSettings } from '../../lib/http/http-event.ts';
import { toErrorReply } from '../../lib/http/reply/encode-reply.ts';
import { replyBytes } from '../../lib/http/reply/reply-bytes.ts';
import type { Services } from '../../lib/services.ts';
import { allowedMethods } from '../server/listener/route-paths.ts';
import { servedByFunctions, toRouteKeys } from './function-routes.ts';

/**
 * The event that API Gateway sends for a request to an HTTP API (payload version 2.0). Contains only the fields that are
 * used. API Gateway omits fields that are empty. The path and the path parameters are decoded, but not the query.
 */
export interface FunctionEvent {
  /** `METHOD /path/{name}` of the matched route, or `$default`. */
  readonly routeKey: string;
  readonly rawPath: string;
  readonly rawQueryString?: string | undefined;
  /** The headers. Repeated headers are joined by a comma. Cookies are in another field, which the bridge ignores. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly pathParameters?: Readonly<Record<string, string>> | undefined;
  readonly requestContext: { readonly http: { readonly method: string } };
  /** The body as text, or as base64 if `isBase64Encoded` is true. */
  readonly body?: string | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** A reply in the format that API Gateway expects from a function. */
export interface FunctionReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The part of the Lambda context that is used. */
export interface Invocation {
  getRemainingTimeInMillis(): number;
}

interface Deps {
  /** The mounted routes of the bridge. */
  readonly routes: readonly Route[];
  readonly services: Services;
  readonly httpSettings: HttpSettings;
}

// The time reserved at the end of an invocation to encode the reply.
const MARGIN_MS = 1000;

const ON_EVERY_REPLY = new Set(['x-request-id', 'traceparent', 'x-content-type-options']);

/**
 * Creates a function that serves all routes of the table that do not depend on one long-lived process. A request for any other path
 * is rejected with 404. Shortly before an invocation times out, the signal of its request aborts.
 */
export function createFunctionHandler({ routes, httpSettings, ...deps }: Deps) {
  const served = servedByFunctions(routes);
  const services = { ...deps.services, allowedMethods: allowedMethods(served) };
  const table = new Map(
    served.flatMap((route) => toRouteKeys(route).map((key) => [key, route] as const)),
  );
  // API Gateway has no route for these paths, but some of them match the parameter of another route.
  const elsewhere = new Set(
    routes.map(({ path }) => path).filter((path) => !hasPath(served, path)),
  );

  function find({ routeKey, rawPath }: FunctionEvent): Pick<Route, 'handler'> & Partial<Route> {
    if (elsewhere.has(rawPath)) return { handler: notFound };
    const isKnown = services.allowedMethods(rawPath) !== '';
    return table.get(routeKey) ?? { handler: isKnown ? methodNotAllowed : notFound };
  }

  return async function handle(
    sent: FunctionEvent,
    invocation: Invocation,
  ): Promise<FunctionReply> {
    const { handler, path } = find(sent);
    const event = toHttpEvent(sent);
    const ending = new AbortController();
    const listeners: ((isComplete: boolean) => void)[] = [];
    const cancel = httpSettings.clock.after(invocation.getRemainingTimeInMillis() - MARGIN_MS, () =>
      ending.abort(new BridgeError('timeout', 'the function timed out')),
    );
    const isBodiless = event.requestContext.http.method === 'HEAD';
    let isComplete = false;
    try {
      const reply = await handler(event, {
        services,
        settings: httpSettings,
        route: path,
        signal: () => ending.signal,
        onReplied: (listener) => listeners.push(listener),
      });
      try {
        const encoded = await encodeReply(reply, isBodiless);
        isComplete = true;
        return encoded;
      } catch (thrown) {
        return await encodeReply(toFailure(thrown, reply, httpSettings), isBodiless);
      }
    } finally {
      cancel();
      for (const listener of listeners) listener(isComplete);
    }
  };
}

function hasPath(routes: readonly Route[], path: string): boolean {
  return routes.some((route) => route.path === path);
}

/** Converts an event to the form for handlers. Throws if the event is not a request to an HTTP API. */
function toHttpEvent(event: FunctionEvent): HttpEvent {
  const { rawPath, rawQueryString, headers, pathParameters, body, isBase64Encoded } = event;
  const method = event.requestContext?.http?.method;
  if (method === undefined || rawPath === undefined) {
    throw new TypeError('the event is not a request to an HTTP API with payload version 2.0');
  }
  const names = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    version: '2.0',
    rawPath,
    rawQueryString: rawQueryString ?? '',
    headers: Object.fromEntries(names),
    pathParameters: pathParameters ?? {},
    requestContext: { http: { method, path: rawPath } },
    body,
    isBase64Encoded: isBase64Encoded ?? false,
  };
}

/** Returns the error for a reply that cannot be encoded. The error is not retryable, because a retry would fail as well. */
function toFailure(thrown: unknown, { headers }: HttpReply, settings: HttpSettings): HttpReply {
  const requestId = headers['x-request-id'] ?? settings.ids.newUuid();
  settings.log?.failure(thrown, { requestId });
  const failure = toErrorReply(toBridgeError(thrown).with({ retryable: false }), requestId);
  const kept = Object.entries(headers).filter(([name]) => ON_EVERY_REPLY.has(name));
  return { ...failure, headers: { ...failure.headers, ...Object.fromEntries(kept) } };
}

// A function returns at most 6 MB, which must contain the headers and the body in base64.
const MAX_BODY_BYTES = 4_400_000;

/**
 * Encodes the body of a reply as base64. `isBodiless` is true for HEAD: the reply then has the headers of the reply to GET,
 * and no body. Throws `unsupported_capability` if the body is too long. Also throws any error that the body throws.
 */
export async function encodeReply(
  { statusCode, headers, body }: HttpReply,
  isBodiless: boolean,
): Promise<FunctionReply> {
  if (body === undefined || isBodiless) {
    return { statusCode, headers, body: '', isBase64Encoded: false };
  }
  const bytes = await replyBytes(body, refuseTooLong);
  return { statusCode, headers, body: bytes.toString('base64'), isBase64Encoded: true };
}

function refuseTooLong(bytes: number): void {
  if (bytes <= MAX_BODY_BYTES) return;
  throw new BridgeError(
    'unsupported_capability',
    'the reply is too long for a function: send the request to a container',
  );
}
