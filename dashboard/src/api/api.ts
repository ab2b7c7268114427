import createClient, { type Client, type FetchResponse } from 'openapi-fetch';
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
      response = await fetch(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      connection.reportUnreachable();
      throw ApiError.unreachable();
    }
    connection.reportReply(response.status, token);
    return response;
  }

  const client: Client<paths> = createClient<paths>({
    baseUrl: location.origin,
    fetch: send,
  });

  return {
    ...pick(client),

    /** Returns the reply for a path below /v1 whose body is bytes. Throws ApiError if the status is not 2xx. */
    async bytes(path: string, init: RequestInit = {}): Promise<Response> {
      const response = await send(new Request(path, init));
      if (!response.ok) throw ApiError.ofReply(response.status, await json(response));
      return response;
    },
  };
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

function pick({ GET, POST, PUT, PATCH, DELETE }: Client<paths>) {
  return { GET, POST, PUT, PATCH, DELETE };
}

async function json(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/**
 * An error that the page shows: the error from the bridge, or an error created by the page if no usable reply arrived.
 */
export class ApiError extends Error {
  /**
   * `unreachable`: no reply arrived. `unreadable`: a reply arrived, but its body is not in the error format of the
   * bridge.
   */
  readonly code: BridgeError['code'] | 'unreachable' | 'unreadable';
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly suggestions: readonly string[];
  readonly requestId: string | undefined;
  /**
   * The `error.code` of the reply, which is more specific than `code`, for example `preset_exists` or `session_busy`.
   */
  readonly reason: string | undefined;

  private constructor(fields: Omit<ApiError, 'name' | 'cause' | 'stack'>) {
    super(fields.message);
    this.name = 'ApiError';
    this.code = fields.code;
    this.status = fields.status;
    this.retryable = fields.retryable;
    this.details = fields.details;
    this.suggestions = fields.suggestions;
    this.requestId = fields.requestId;
    this.reason = fields.reason;
  }

  /** Creates the error for a reply whose status is not 2xx. `body` is the parsed body, of any shape. */
  static ofReply(status: number, body: unknown): ApiError {
    if (!isErrorReply(body)) {
      return new ApiError({ ...NONE, code: 'unreadable', status, message: `HTTP ${status}` });
    }
    const { code, retryable, details, suggestions } = body.error.bridge_ext;
    return new ApiError({
      code,
      status,
      retryable,
      details,
      suggestions,
      message: body.error.message,
      requestId: body.request_id,
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

const NONE = {
  retryable: true,
  details: {},
  suggestions: [],
  requestId: undefined,
  reason: undefined,
} as const;

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
