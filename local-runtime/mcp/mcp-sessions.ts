import {
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import type { Caller } from './local-api.ts';

interface Deps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly ids: Pick<Ids, 'newUuid'>;
  /** A server whose calls are the caller's. `keepsJobs` as in `ToolContext`. */
  readonly serverFor: (caller: () => Caller, keepsJobs: () => boolean) => McpServer;
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
  hasEnded: boolean;
}

/** Of one scope. */
const MAX_SESSIONS = 64;
const IDLE_MS = 60 * 60 * 1000;

/**
 * The sessions of clients of the revisions of 2025. A session belongs to the scope that has begun it: others do not find
 * it. Where a scope has too many, the one that was used least recently ends, and its client begins another. The jobs of a
 * session continue after its end.
 */
export function createMcpSessions({ clock, ids, serverFor }: Deps) {
  /** In the order of their last use. */
  const sessions = new Map<string, Session>();

  function forget(id: string): Session | undefined {
    const session = sessions.get(id);
    if (session) session.hasEnded = true;
    sessions.delete(id);
    return session;
  }

  async function end(id: string): Promise<void> {
    await forget(id)?.server.close();
  }

  /** Ends the sessions that have not been used for long, and those that are too many. */
  async function makeRoom(scope: string): Promise<void> {
    const isIdle = ({ lastUsedMs }: Session) => clock.monotonicMs() - lastUsedMs > IDLE_MS;
    const idle = [...sessions].filter(([, session]) => isIdle(session));
    const own = [...sessions].filter(([, session]) => session.scope === scope);
    const surplus = own.slice(0, Math.max(0, own.length - MAX_SESSIONS));
    await Promise.all([...idle, ...surplus].map(([id]) => end(id)));
  }

  async function begin({ scope, caller }: Call): Promise<Session> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => ids.newUuid(),
      async onsessioninitialized(id) {
        sessions.set(id, session);
        await makeRoom(scope);
      },
      onsessionclosed(id) {
        forget(id);
      },
    });
    const server = serverFor(
      () => session.caller,
      () => session.hasEnded,
    );
    const session: Session = {
      scope,
      transport,
      server,
      caller,
      lastUsedMs: clock.monotonicMs(),
      hasEnded: false,
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
        if (session.transport.sessionId === undefined) await session.server.close();
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
