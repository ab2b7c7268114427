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

/** A running bridge, as its HTTP contract shows it. Everything throws `ServiceError`. */
export interface Service {
  readonly url: string;
  /** The JSON of a successful reply, of the type that the contract names for this path. */
  json<T>(path: string, request?: Request): Promise<T>;
  /** A successful reply; its body need not be read. */
  reply(path: string, request?: Request): Promise<Pick<Response, 'headers' | 'arrayBuffer'>>;
  /** The body of a successful reply. */
  bytes(path: string): Promise<Buffer>;
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
        throw error instanceof SyntaxError ? notABridge() : unreachable(url, error);
      }
    },
    async bytes(path) {
      const response = await reply(path);
      try {
        return Buffer.from(await response.arrayBuffer());
      } catch (error) {
        throw unreachable(url, error);
      }
    },
    async *events<T>(path: string, signal: AbortSignal): AsyncIterable<T> {
      const { body } = await reply(path, { signal });
      if (!body) throw notABridge();
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
