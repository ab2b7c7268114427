import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createMcpHandler,
  isLegacyRequest,
  LATEST_PROTOCOL_VERSION,
  preloadSchemas,
} from '@modelcontextprotocol/server';
import type { ImageEngine } from '../../lib/images/image.ts';
import { createMcpServer } from '../../lib/mcp/mcp-server.ts';
import type { McpCall, Services } from '../../lib/services.ts';
import { type Caller, createLocalApi } from './local-api.ts';
import { createMcpSessions } from './mcp-sessions.ts';

type LocalApiDeps = Parameters<typeof createLocalApi>[0];

interface Deps extends LocalApiDeps {
  readonly images: ImageEngine;
  readonly version: string;
  /** False if another replica may receive the next request of a client. A session would exist on one replica only. */
  readonly keepsSessions: boolean;
}

export type McpEndpoint = Services['mcp'] & {
  /**
   * Does the work that only the first request needs: builds the schemas of the protocol and of the tools. Each step runs in a
   * separate turn of the event loop.
   */
  prepare(): Promise<void>;
  /** Ends the sessions and their running requests. */
  close(): Promise<void>;
};

/**
 * Creates the endpoint of the Model Context Protocol over HTTP (Streamable HTTP). Clients of revision 2026-07-28 send
 * self-contained requests. Clients of the 2025 revisions have sessions; without `keepsSessions`, they get no session id, and
 * their requests are self-contained too. The browser guard, the authentication and the body limit are the same as for every
 * route.
 */
export function createMcpEndpoint({ version, images, keepsSessions, ...deps }: Deps): McpEndpoint {
  const { clock, ids, log } = deps.httpSettings;
  const serverFor = (caller: () => Caller, keepsJobs = () => false) =>
    createMcpServer({
      api: createLocalApi(deps, caller),
      images: async () => images,
      keepsJobs,
      version,
      clock,
      onFailure: (error) => log?.failure(error, { task: 'mcp' }),
    });
  const selfContained = createMcpHandler(
    ({ requestInfo }) => serverFor(() => toCaller(requestInfo?.headers)),
    { legacy: keepsSessions ? 'reject' : 'stateless' },
  );
  /** Answers a message without a client. The library compiles the check of a message when it reads the first one. */
  async function exchange(parsedBody: unknown): Promise<void> {
    const prepared = createMcpHandler(() => serverFor(() => toCaller(undefined)), {
      legacy: 'stateless',
    });
    const headers = { accept: 'application/json, text/event-stream' };
    const request = toWebRequest({ method: 'POST', headers }, new AbortController().signal);
    await (await prepared.fetch(request, { parsedBody })).text();
    await prepared.close();
  }

  const sessions = keepsSessions ? createMcpSessions({ clock, ids, serverFor }) : undefined;

  return {
    async prepare() {
      for (const step of [preloadSchemas, ...EXCHANGES.map((body) => () => exchange(body))]) {
        await nextTurn();
        await step();
      }
    },

    async handle(call) {
      const signal = call.context.signal();
      const request = toWebRequest(call, signal);
      const { body: parsedBody } = call;
      const isOfSession = sessions !== undefined && (await isLegacyRequest(request, parsedBody));
      const response = isOfSession
        ? await sessions.handle(request, {
            body: parsedBody,
            owner: call.context.caller,
            caller: toCaller(request.headers),
          })
        : await selfContained.fetch(request, { parsedBody });
      const { status, headers, body } = response;
      return {
        status,
        headers: Object.fromEntries(headers),
        ...(body ? { body: untilOver(body, signal, call) } : {}),
      };
    },

    async close() {
      await Promise.all([selfContained.close(), sessions?.close()]);
    },
  };
}

/** The first messages of a client. */
const EXCHANGES: readonly unknown[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: LATEST_PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'image-bridge', version: '1' },
    },
  },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
];

/** Creates the request for the library, which reads only its method and headers and receives the parsed body separately. */
function toWebRequest(
  { method, headers }: Pick<McpCall, 'method' | 'headers'>,
  signal: AbortSignal,
): Request {
  const { host, authorization, accept } = headers;
  const taken = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'));
  // A `Request` cannot have a `host` header.
  const sent = { ...Object.fromEntries(taken), 'x-host': host, authorization, accept };
  return new Request('http://localhost/mcp', {
    method,
    headers: Object.entries({ ...sent, 'content-type': 'application/json' }).flatMap(
      ([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]),
    ),
    ...(method === 'POST' ? { body: '{}' } : {}),
    signal,
  });
}

function toCaller(headers: Headers | undefined): Caller {
  return {
    host: headers?.get('x-host') ?? undefined,
    authorization: headers?.get('authorization') ?? undefined,
  };
}

/** Yields a body until the client disconnects or the bridge stops. An endless stream also ends if its token is revoked. */
async function* untilOver(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  call: McpCall,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  const unwatch = isEndless(call) ? call.context.onRevoked(cancel) : () => {};
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    signal.removeEventListener('abort', cancel);
    unwatch();
    cancel();
  }
}

/** Returns true if a call subscribes to messages from the server, in either protocol revision. */
function isEndless({ method, body }: McpCall): boolean {
  if (method === 'GET') return true;
  const isNamed = typeof body === 'object' && body !== null && 'method' in body;
  return isNamed && body.method === 'subscriptions/listen';
}
