import { EventSourceParserStream } from 'eventsource-parser/stream';
import { notABridge, toServiceError } from './error-reply.ts';
import type { ServiceAddress } from './service-address.ts';
import { ServiceError } from './service-error.ts';

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

interface Content {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** A running bridge, as its HTTP contract shows it. Everything throws `ServiceError`. */
export interface Service {
  readonly url: string;
  /** The JSON of a successful reply, of the type that the contract names for this path. */
  json<T>(path: string, request?: Request): Promise<T>;
  /** A successful reply whose body is not read. */
  reply(path: string, request?: Request): Promise<Pick<Response, 'headers'>>;
  /** The body of a successful reply. */
  content(path: string, request?: Request): Promise<Content>;
  /** The `data` of each server-sent event. Ends when the service ends the stream. */
  events<T>(path: string, signal: AbortSignal): AsyncIterable<T>;
}

/** What Node and undici say of a connection that was there. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Sends no request yet. */
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
        // A token is not for another address.
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
        // The contract of the service gives the path this type; what it adds later is not looked at.
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
        const events = body
          .pipeThrough(new TextDecoderStream())
          .pipeThrough(new EventSourceParserStream());
        // As in `json`.
        for await (const { data } of events) yield JSON.parse(data) as T;
      } catch (error) {
        signal.throwIfAborted();
        throw unreachable(url, error);
      }
    },
  };
}

function unreachable(url: string, cause: unknown): ServiceError {
  const advice = [
    'Start one with: image-bridge quickstart',
    'Name another one with --url or IMAGE_BRIDGE_URL.',
  ];
  const isBroken = BROKEN.has(codeOf(cause));
  return new ServiceError(`no service can be reached at ${url}`, 4, advice, { cause, isBroken });
}

/** The code of the failure, which `fetch` wraps in an error of its own. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
