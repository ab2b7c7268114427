import createClient, { type FetchResponse } from 'openapi-fetch';
import type { Connection } from '../connection/connection.ts';
import type { paths } from './schema.d.ts';
import type { BridgeError, ErrorReply } from './schemas.ts';

export type Api = ReturnType<typeof createApi>;

/**
 * Creates a client for the HTTP API of the bridge, with types that are generated from the API contract. Every request
 * carries the tab's token. The outcome of every request is reported to the connection, so that the page knows if the
 * bridge is unreachable, is reachable again, or requires a token.
 */
export function createApi(connection: Connection) {
  async function send(request: Request): Promise<Response> {
    const token = connection.token.peek();
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    let response: Response;
    try {
      response = await connection.guard((lost) => receive(request, lost));
    } catch (error) {
      if (request.signal.aborted) throw error;
      connection.reportUnreachable();
      throw ApiError.unreachable();
    }
    connection.reportReply(response.status, token);
    return response;
  }

  const client = createClient<paths>({ baseUrl: location.origin, fetch: send });
  const { GET, POST, PUT, PATCH, DELETE } = client;
  return {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE,

    /** Returns the reply for a path below /v1 whose body is bytes. Throws ApiError if the status is not 2xx. */
    async bytes(path: string, init: RequestInit = {}): Promise<Response> {
      const request = new Request(path, init);
      // The content security policy of the page forbids requests to the bucket.
      request.headers.set('x-artifact-redirect', 'never');
      const response = await send(request);
      if (!response.ok) throw ApiError.ofReply(response.status, await json(response));
      return response;
    },
  };
}

/** Sends a request. The reply has its whole body if the body is JSON, so that a body that ends early counts as no reply. */
async function receive(request: Request, lost: AbortSignal): Promise<Response> {
  const response = await fetch(request, { signal: AbortSignal.any([request.signal, lost]) });
  if (!response.headers.get('content-type')?.includes('json')) return response;
  return new Response(await response.arrayBuffer(), response);
}

/** Returns the body of a reply. Throws ApiError if the status is not 2xx. */
export async function unwrap<
  T extends Record<string | number, unknown>,
  O,
  M extends `${string}/${string}`,
>(reply: Promise<FetchResponse<T, O, M>>): Promise<NonNullable<FetchResponse<T, O, M>['data']>> {
  const { data, error, response } = await reply;
  if (!response.ok) throw ApiError.ofReply(response.status, error);
  // A 204 reply has no body, and callers of such routes do not read it.
  return data as NonNullable<FetchResponse<T, O, M>['data']>;
}

/** Returns a function that starts a read, or joins the read in progress. */
export function joined(read: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  return () => {
    current ??= read().finally(() => {
      current = undefined;
    });
    return current;
  };
}

async function json(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/** An error that the page shows. The page itself creates the error if no usable reply arrived. */
export class ApiError extends Error {
  /** `unreachable`: no reply arrived. `unreadable`: the body of the reply is not in the bridge's error format. */
  readonly code: BridgeError['code'] | 'unreachable' | 'unreadable';
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** The `error.code` of the reply, which is more specific than `code`, for example `preset_exists`. */
  readonly reason: string | undefined;

  private constructor(fields: Omit<ApiError, 'name' | 'cause' | 'stack'>) {
    super(fields.message);
    this.name = 'ApiError';
    this.code = fields.code;
    this.status = fields.status;
    this.retryable = fields.retryable;
    this.details = fields.details;
    this.reason = fields.reason;
  }

  /** Creates the error for a reply whose status is not 2xx. `body` is the parsed body, of any shape. */
  static ofReply(status: number, body: unknown): ApiError {
    if (!isErrorReply(body)) {
      return new ApiError({ ...NONE, code: 'unreadable', status, message: `HTTP ${status}` });
    }
    const { code, retryable, details } = body.error.bridge_ext;
    return new ApiError({
      code,
      status,
      retryable,
      details,
      message: body.error.message,
      reason: body.error.code ?? undefined,
    });
  }

  /** Returns the error unchanged if it is an ApiError. Any other error means that the connection failed. */
  static of(error: unknown): ApiError {
    return error instanceof ApiError ? error : ApiError.unreachable();
  }

  /** Creates the error for a request that received no reply. */
  static unreachable(): ApiError {
    return new ApiError({ ...NONE, code: 'unreachable', status: 0, message: '' });
  }
}

const NONE = { retryable: true, details: {}, reason: undefined } as const;

function isErrorReply(body: unknown): body is ErrorReply {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'object' &&
    body.error !== null &&
    'bridge_ext' in body.error
  );
}
