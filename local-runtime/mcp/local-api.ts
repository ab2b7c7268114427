import type { Route } from '../../handlers/routes.ts';
import type { HttpEvent, HttpSettings } from '../../lib/http/http-event.ts';
import { copiedChunks, replyBytes } from '../../lib/http/reply/reply-bytes.ts';
import {
  type ApiBytes,
  ApiFailure,
  type ApiRequest,
  type BridgeApi,
} from '../../lib/mcp/bridge-api.ts';
import { parseJson } from '../../lib/platform/parse-json.ts';
import type { Services } from '../../lib/services.ts';
import { readEvents, toTarget } from '../client/service.ts';
import { toServiceError } from '../client/service-error.ts';

interface Deps {
  readonly routes: readonly Route[];
  readonly services: () => Services;
  readonly httpSettings: HttpSettings;
}

/** The headers that identify a caller. */
export interface Caller {
  readonly host: string | undefined;
  readonly authorization: string | undefined;
}

/**
 * Creates the API of this process. Requests have the identity of `caller`. The API calls the same handlers as the HTTP
 * listener, with the same permission checks.
 */
export function createLocalApi(
  { routes, services, httpSettings }: Deps,
  caller: () => Caller,
): BridgeApi {
  const table = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));

  /** Resolves with a successful reply. Throws `ApiFailure` for an error reply. The caller must call `end` after reading the reply. */
  async function call(operation: string, request: ApiRequest) {
    const route = table.get(operation);
    if (!route) throw new ApiFailure('not_found', `${operation.split(' ')[1]} is disabled`);
    const listeners: ((isComplete: boolean) => void)[] = [];
    const reply = await route.handler(toEvent(operation, request, caller()), {
      services: services(),
      settings: httpSettings,
      route: route.path,
      signal: () => request.signal,
      onReplied: (listener) => listeners.push(listener),
    });
    const end = () => {
      for (const listener of listeners) listener(true);
    };
    if (reply.statusCode < 400) return { reply, end };
    end();
    throw toFailure(reply.statusCode, await replyBytes(reply.body));
  }

  async function read(operation: string, request: ApiRequest): Promise<ApiBytes> {
    const { reply, end } = await call(operation, request);
    try {
      const mediaType = reply.headers['content-type'] ?? 'application/octet-stream';
      return { bytes: await replyBytes(reply.body), mediaType };
    } finally {
      end();
    }
  }

  return {
    bytes: read,

    async json<T>(operation: string, request: ApiRequest): Promise<T> {
      const { bytes } = await read(operation, request);
      // `T` must be the type that the contract defines for the operation.
      return JSON.parse(bytes.toString()) as T;
    },

    async *events<T>(operation: string, request: ApiRequest): AsyncIterable<T> {
      const { reply, end } = await call(operation, request);
      try {
        yield* readEvents<T>(ReadableStream.from(copiedChunks(reply.body)), request.signal);
      } finally {
        end();
      }
    },
  };
}

function toEvent(operation: string, request: ApiRequest, caller: Caller): HttpEvent {
  const { path, query, body } = request;
  const { method, rawPath, search } = toTarget(operation, path, query);
  return {
    version: '2.0',
    rawPath,
    rawQueryString: search,
    headers: {
      ...caller,
      // The bytes are read here. A redirect to the bucket has none.
      'x-artifact-redirect': 'never',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    pathParameters: path ?? {},
    requestContext: { http: { method, path: rawPath } },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    isBase64Encoded: false,
  };
}

function toFailure(status: number, bytes: Buffer): ApiFailure {
  const { code, message, advice, issues } = toServiceError(
    status,
    parseJson(bytes.toString()),
    'GET',
  );
  return new ApiFailure(code ?? 'internal', message, advice, issues);
}
