import createClient, { type Client, type FetchResponse } from 'openapi-fetch';
import type { Connection } from '../connection/connection.ts';
import { ApiError } from './api-error.ts';
import type { paths } from './schema.d.ts';

export type Api = ReturnType<typeof createApi>;

/**
 * Creates a client for the HTTP API of the bridge, typed by its contract. Every request carries the tab's token. Every
 * outcome is reported to the connection, so that the page learns that the bridge is unreachable, reachable again, or
 * requires a token.
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
