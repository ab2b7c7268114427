import { handler as methodNotAllowed } from '../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../handlers/errors/not-found.ts';
import type { Route } from '../../handlers/routes.ts';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpEvent, HttpReply, HttpSettings, ReplyBody } from '../../lib/http/http-event.ts';
import { toErrorReply } from '../../lib/http/reply/encode-reply.ts';
import { EVENT_STREAM_HEADERS } from '../../lib/http/reply/event-stream.ts';
import type { Services } from '../../lib/services.ts';

/** The event that API Gateway sends for a request to an HTTP API (payload version 2.0). Contains only the fields that are used. */
export interface FunctionEvent extends Omit<HttpEvent, 'body'> {
  /** `METHOD /path/{name}` of the matched route, or `$default`. */
  readonly routeKey: string;
  /** The body as text, or as base64 if `isBase64Encoded` is true. */
  readonly body?: string;
}

interface Deps {
  readonly routes: readonly Route[];
  readonly services: Services;
  readonly httpSettings: HttpSettings;
}

// The time reserved at the end of an invocation to encode the reply.
const MARGIN_MS = 1000;

const ON_EVERY_REPLY = new Set(['x-request-id', 'traceparent', 'x-content-type-options']);

/**
 * Creates a function for API Gateway that serves the whole route table. Shortly before an invocation times out, the
 * function aborts the work. An event stream then ends early.
 */
export function createFunctionHandler({ routes, services, httpSettings }: Deps) {
  const table = new Map(
    routes.flatMap((route) => routeKeys(route).map((key) => [key, route] as const)),
  );

  function find({ routeKey, rawPath }: FunctionEvent): Pick<Route, 'handler'> & Partial<Route> {
    const isKnown = services.allowedMethods(rawPath) !== '';
    return table.get(routeKey) ?? { handler: isKnown ? methodNotAllowed : notFound };
  }

  return async function handle(
    event: FunctionEvent,
    invocation: { getRemainingTimeInMillis(): number },
  ): Promise<FunctionReply> {
    const { handler, path } = find(event);
    // API Gateway serves HTTP APIs only over https.
    const origin = `https://${event.headers['host'] ?? 'localhost'}`;
    const ending = new AbortController();
    const listeners: ((isComplete: boolean) => void)[] = [];
    const cancel = httpSettings.clock.after(invocation.getRemainingTimeInMillis() - MARGIN_MS, () =>
      ending.abort(new BridgeError('timeout', 'the function timed out')),
    );
    const isBodiless = event.requestContext.http.method === 'HEAD';
    const options = { isBodiless, signal: ending.signal };
    let isComplete = false;
    try {
      const reply = await handler(
        { ...event, pathParameters: event.pathParameters ?? {} },
        {
          services,
          settings: { ...httpSettings, publicBaseUrl: httpSettings.publicBaseUrl ?? origin },
          route: path,
          signal: () => ending.signal,
          onReplied: (listener) => listeners.push(listener),
        },
      );
      try {
        const encoded = await encodeReply(reply, options);
        isComplete = !ending.signal.aborted;
        return encoded;
      } catch (thrown) {
        return await encodeReply(toFailure(thrown, reply, httpSettings), options);
      }
    } finally {
      cancel();
      for (const listener of listeners) listener(isComplete);
    }
  };
}

/** Returns the error for a reply that cannot be encoded. The error is not retryable, because a retry might be charged again. */
function toFailure(thrown: unknown, { headers }: HttpReply, settings: HttpSettings): HttpReply {
  const requestId = headers['x-request-id'] ?? settings.ids.newUuid();
  settings.log?.failure(thrown, { requestId });
  const failure = toErrorReply(toBridgeError(thrown).with({ retryable: false }), requestId);
  const kept = Object.entries(headers).filter(([name]) => ON_EVERY_REPLY.has(name));
  return { ...failure, headers: { ...failure.headers, ...Object.fromEntries(kept) } };
}

/** Returns the keys of a route in API Gateway. A parameter that may contain slashes is written as `{name+}`. */
function routeKeys({ method, path, takesSlashes }: Route): readonly string[] {
  const at = takesSlashes ? path.replace(/\}$/, '+}') : path;
  return method === 'GET' ? [`GET ${at}`, `HEAD ${at}`] : [`${method} ${at}`];
}

/** A reply in the format that API Gateway expects from a function. */
interface FunctionReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

interface Options {
  /** True for a HEAD request. The reply then has the headers of the reply to GET, and no body. */
  readonly isBodiless: boolean;
  /** If this signal aborts, an event stream ends early, and the encoding of any other reply fails. */
  readonly signal: AbortSignal;
}

// A function returns at most 6 MB, which must contain the headers and the body in base64.
const MAX_BODY_BYTES = 4_400_000;

/**
 * Encodes the body of a reply as base64. Throws `unsupported_capability` if the body is too long. Throws the signal's reason
 * if the signal aborts before the end of the body, unless the body is an event stream. Also throws any error that the body
 * throws.
 */
export async function encodeReply(
  { statusCode, headers, body }: HttpReply,
  { isBodiless, signal }: Options,
): Promise<FunctionReply> {
  if (body === undefined || isBodiless) {
    return { statusCode, headers, body: '', isBase64Encoded: false };
  }
  const mayEndEarly = headers['content-type'] === EVENT_STREAM_HEADERS['content-type'];
  const bytes = await collect(body, signal, mayEndEarly);
  return { statusCode, headers, body: bytes.toString('base64'), isBase64Encoded: true };
}

async function collect(
  body: ReplyBody,
  signal: AbortSignal,
  mayEndEarly: boolean,
): Promise<Buffer> {
  if (body instanceof Uint8Array) {
    refuseTooLong(body.byteLength);
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  const aborted = new Promise<undefined>((resolve) => {
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (!next && !mayEndEarly) throw signal.reason;
      if (!next || next.done) return Buffer.concat(pieces);
      length += next.value.byteLength;
      refuseTooLong(length);
      pieces.push(next.value);
    }
  } finally {
    // Not awaited, because `return` may wait for a piece that never arrives. The reply does not depend on the result.
    iterator.return?.().catch(() => {});
  }
}

function refuseTooLong(bytes: number): void {
  if (bytes <= MAX_BODY_BYTES) return;
  throw new BridgeError(
    'unsupported_capability',
    'the reply is too long for a function: set `response_format` to `artifact` or `url`',
  );
}
