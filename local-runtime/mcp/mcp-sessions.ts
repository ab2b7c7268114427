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
  readonly owner: SessionOwner;
  readonly caller: Caller;
}

/** The token that a session belongs to: tokens of one scope may have different permissions. */
export interface SessionOwner {
  readonly scope: string;
  /** The identity of the token, which it keeps when it is replaced. */
  readonly id: string;
}

interface Session {
  readonly owner: SessionOwner;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: McpServer;
  /** Of the latest request: a token may be replaced while a session lasts. */
  caller: Caller;
  lastUsedMs: number;
  hasEnded: boolean;
}

/** Per token. */
const MAX_SESSIONS = 64;
const IDLE_MS = 60 * 60 * 1000;

/**
 * Keeps the sessions of clients of the revisions of 2025. A session belongs to the token that opened it: other tokens do
 * not find it. If a token has too many, the least recently used one ends, and its client begins another. The jobs of a
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
  async function makeRoom(owner: SessionOwner): Promise<void> {
    const isIdle = ({ lastUsedMs }: Session) => clock.monotonicMs() - lastUsedMs > IDLE_MS;
    const idle = [...sessions].filter(([, session]) => isIdle(session));
    const own = [...sessions].filter(([, session]) => isSame(session.owner, owner));
    const surplus = own.slice(0, Math.max(0, own.length - MAX_SESSIONS));
    await Promise.all([...idle, ...surplus].map(([id]) => end(id)));
  }

  async function begin({ owner, caller }: Call): Promise<Session> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => ids.newUuid(),
      async onsessioninitialized(id) {
        sessions.set(id, session);
        await makeRoom(owner);
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
      owner,
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
      if (!session || !isSame(session.owner, call.owner)) return unknownSession();
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

function isSame(one: SessionOwner, other: SessionOwner): boolean {
  return one.scope === other.scope && one.id === other.id;
}

/** What the transport says of an id that it does not know: the client then begins a new session. */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
