import { EventSourceParserStream } from 'eventsource-parser/stream';
import { notABridge, ServiceError, toServiceError } from './service-error.ts';

/** The address of a service and the token for its requests. */
export interface ServiceAddress {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

interface Request {
  readonly method?: Method;
  /** The body, sent as JSON. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** The HTTP API of a running bridge. */
export type Service = ReturnType<typeof createService>;

/** The codes of the errors that Node and undici throw when an established connection breaks. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Creates a client for a service. All methods throw `ServiceError`. */
export function createService({ url, token }: ServiceAddress) {
  /** Resolves with a successful reply without reading its body. */
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
          'x-artifact-redirect': 'never',
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
    /** Resolves with the JSON of a successful reply. `T` must be the type that the contract defines for the path. */
    async json<T>(path: string, request?: Request): Promise<T> {
      const response = await reply(path, request);
      try {
        // Not validated: a newer service may send additional fields.
        return (await response.json()) as T;
      } catch (error) {
        request?.signal?.throwIfAborted();
        throw error instanceof SyntaxError ? notABridge(response.status) : unreachable(url, error);
      }
    },
    /** Resolves with the body of a successful reply. */
    async content(path: string, request?: Request) {
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
    /** Yields the `data` of each server-sent event until the service ends the stream. */
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
 * Yields the `data` of each server-sent event. `T` must be the type that the contract defines for the events. Throws the
 * signal's reason if the signal aborts.
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

/** Returns the method and the target of a request for an operation such as `GET /v1/jobs/{id}`. Omits undefined parameters. */
export function toTarget(
  operation: string,
  path: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
) {
  const [method, template = ''] = operation.split(' ');
  const rawPath = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(path[name] ?? '')),
  );
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const search = parameters.toString();
  const target = search === '' ? rawPath : `${rawPath}?${search}`;
  // Callers write operations as literals that begin with a method.
  return { method: method as Method, rawPath, search, target };
}
