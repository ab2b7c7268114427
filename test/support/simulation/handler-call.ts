import { toEvent } from '../invoke.ts';

/** A request of a simulated client. */
export interface Sent {
  readonly method?: string;
  readonly query?: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: replies have many shapes, and each check reads the one that it expects.
  readonly json: any;
}

/** A handler of the bridge. */
export type Handler = (
  event: ReturnType<typeof toEvent>,
  // biome-ignore lint/suspicious/noExplicitAny: each handler declares other services, and this context has all of them.
  context: any,
) => Promise<{
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}>;

/** Returns the event of a request that names a token. */
export function toCallEvent(token: string, sent: Sent): ReturnType<typeof toEvent> {
  return toEvent({
    method: sent.method ?? 'GET',
    query: sent.query ?? '',
    pathParameters: sent.path ?? {},
    headers: { authorization: `Bearer ${token}`, ...sent.headers },
    ...(sent.body ? { body: sent.body } : {}),
  });
}

/** Reads a reply to its end. A reply that is not JSON has its bytes as `json`. */
export async function readReply({
  statusCode: status,
  headers,
  body,
}: Awaited<ReturnType<Handler>>): Promise<Reply> {
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body) for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return { status, headers, json: isJson ? JSON.parse(bytes.toString()) : bytes };
}
