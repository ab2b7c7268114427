import { EventSourceParserStream } from 'eventsource-parser/stream';
import { notABridge, ServiceError, toServiceError } from './service-error.ts';

/** The address of a service and the token for its requests. */
export interface ServiceAddress {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** The body, sent as JSON. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

interface Content {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** The HTTP API of a running bridge. All methods throw `ServiceError`. */
export interface Service {
  readonly url: string;
  /** Resolves with the JSON of a successful reply; `T` is the type that the contract defines for this path. */
  json<T>(path: string, request?: Request): Promise<T>;
  /** Resolves with a successful reply without reading its body. */
  reply(path: string, request?: Request): Promise<Pick<Response, 'headers'>>;
  /** Resolves with the body of a successful reply. */
  content(path: string, request?: Request): Promise<Content>;
  /** Yields the `data` of each server-sent event until the service ends the stream. */
  events<T>(path: string, signal: AbortSignal): AsyncIterable<T>;
}

/** The error codes of Node and undici for an established connection that broke. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Creates a client for a service without sending a request. */
export function createService({ url, token }: ServiceAddress): Service {
  async function reply(path: string, request: Request = {}): Promise<Response> {
    const response = await send(path, request);
    if (response.ok) return response;
    const body: unknown = await response.json().catch(() => undefined);
    throw toServiceError(response.status, body, request.method ?? 'GET');
  }

  async function send(path: string, request: Request): Promise<Response> {
    const { method = 'GET', body, signal, idempotencyKey: key } = request;
    try {
      return await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        // Redirects are rejected because the token must not be sent to another host.
        redirect: 'error',
        signal: signal ?? null,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw unreachable(url, error);
    }
  }

  return {
    url,
    reply,
    async json<T>(path: string, request?: Request): Promise<T> {
      const response = await reply(path, request);
      try {
        // The contract defines this type for the path. Fields added by newer services are ignored.
        return (await response.json()) as T;
      } catch (error) {
        request?.signal?.throwIfAborted();
        throw error instanceof SyntaxError ? notABridge(response.status) : unreachable(url, error);
      }
    },
    async content(path, request) {
      const response = await reply(path, request);
      try {
        const bytes = Buffer.from(await response.arrayBuffer());
        const mediaType = response.headers.get('content-type') ?? 'application/octet-stream';
        return { bytes, mediaType };
      } catch (error) {
        request?.signal?.throwIfAborted();
        throw unreachable(url, error);
      }
    },
    async *events<T>(path: string, signal: AbortSignal): AsyncIterable<T> {
      const { body, headers, status } = await reply(path, { signal });
      const isStream = headers.get('content-type')?.startsWith('text/event-stream');
      if (!body || !isStream) throw notABridge(status);
      try {
        yield* readEvents<T>(body, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw unreachable(url, error);
      }
    },
  };
}

/**
 * Yields the `data` of each server-sent event; `T` is the type that the contract defines. Throws the signal's reason if the
 * signal aborts.
 */
export async function* readEvents<T>(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const events = body
    .pipeThrough(new TextDecoderStream(), { signal })
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) yield JSON.parse(data) as T;
}

function unreachable(url: string, cause: unknown): ServiceError {
  const advice = [
    'Start a service with: image-bridge quickstart',
    'Set the URL of another service with --url or IMAGE_BRIDGE_URL.',
  ];
  const isBroken = BROKEN.has(codeOf(cause));
  return new ServiceError(`no service can be reached at ${url}`, 4, advice, { cause, isBroken });
}

/** Returns the code of the system error that `fetch` wraps in its own error. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** Returns a query string with its question mark. Omits undefined parameters. */
export function toQuery(
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
