import {
  isInitializeRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import type { Caller } from './local-api.ts';

interface Deps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly ids: Pick<Ids, 'newUuid'>;
  readonly serverFor: (caller: () => Caller) => McpServer;
}

interface Call {
  readonly body?: unknown;
  readonly scope: string;
  readonly caller: Caller;
}

interface Session {
  readonly scope: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: McpServer;
  /** Of the latest request: a token may be replaced while a session lasts. */
  caller: Caller;
  lastUsedMs: number;
}

const MAX_SESSIONS = 256;
const IDLE_MS = 60 * 60 * 1000;

/**
 * The sessions of clients of the revisions of 2025. A session belongs to the scope that has begun it: others do not find
 * it. The one that was used least recently makes room for a new one, and its client begins another.
 */
export function createMcpSessions({ clock, ids, serverFor }: Deps) {
  /** In the order of their last use. */
  const sessions = new Map<string, Session>();

  async function end(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.close();
  }

  async function makeRoom(): Promise<void> {
    const isOver = ({ lastUsedMs }: Session) => clock.monotonicMs() - lastUsedMs > IDLE_MS;
    const idle = [...sessions].filter(([, session]) => isOver(session)).map(([id]) => id);
    const [oldest] = sessions.keys();
    const full = sessions.size >= MAX_SESSIONS && idle.length === 0 && oldest !== undefined;
    await Promise.all((full ? [oldest] : idle).map(end));
  }

  async function begin({ scope, caller }: Call): Promise<Session> {
    await makeRoom();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => ids.newUuid(),
      onsessioninitialized: (id) => {
        sessions.set(id, session);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    const server = serverFor(() => session.caller);
    const session: Session = {
      scope,
      transport,
      server,
      caller,
      lastUsedMs: clock.monotonicMs(),
    };
    await server.connect(transport);
    return session;
  }

  return {
    async handle(request: Request, call: Call): Promise<Response> {
      const id = request.headers.get('mcp-session-id');
      const options = { parsedBody: call.body };
      if (id === null) {
        // Without a session only a beginning is served; the transport refuses everything else.
        const session = await begin(call);
        const response = await session.transport.handleRequest(request, options);
        if (!isInitializeRequest(call.body)) await session.server.close();
        return response;
      }
      const session = sessions.get(id);
      if (session?.scope !== call.scope) return unknownSession();
      sessions.delete(id);
      sessions.set(id, session);
      session.lastUsedMs = clock.monotonicMs();
      session.caller = call.caller;
      return session.transport.handleRequest(request, options);
    },

    async close(): Promise<void> {
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

/** What the transport says of an id that it does not know: the client then begins a new session. */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
