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
  /** Creates a server that calls the API as the caller. `keepsJobs` has the same meaning as in `ToolContext`. */
  readonly serverFor: (caller: () => Caller, keepsJobs: () => boolean) => McpServer;
}

interface Call {
  readonly body?: unknown;
  readonly owner: SessionOwner;
  readonly caller: Caller;
}

/**
 * The token that owns a session. The scope alone does not identify the owner, because tokens with the same scope may have
 * different permissions.
 */
export interface SessionOwner {
  readonly scope: string;
  /** The id of the token. The id does not change when the token is rotated. */
  readonly id: string;
}

interface Session {
  readonly owner: SessionOwner;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: McpServer;
  /** The caller of the latest request. The token may be rotated during a session. */
  caller: Caller;
  lastUsedMs: number;
  hasEnded: boolean;
}

/** The maximum number of sessions for each token. */
const MAX_SESSIONS = 64;
const IDLE_MS = 60 * 60 * 1000;

/**
 * Manages the sessions of clients of the 2025 revisions. A session belongs to the token that opened the session, and is
 * unknown to other tokens. If a token has too many sessions, the least recently used session ends, and its client starts a
 * new session. The jobs of a session continue after the end of the session.
 */
export function createMcpSessions({ clock, ids, serverFor }: Deps) {
  /** The sessions by id, least recently used first. */
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

  /** Ends idle sessions, and the least recently used sessions of an owner that has too many sessions. */
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
        // Without a session id, only a request that starts a session is valid. The transport rejects all other requests.
        const session = await begin(call);
        const response = await session.transport.handleRequest(request, options);
        if (session.transport.sessionId === undefined) await session.server.close();
        return response;
      }
      const session = sessions.get(id);
      if (!session || !isSame(session.owner, call.owner)) {
        // The reply of the library to an unknown session id. The client then starts a new session.
        const error = { code: -32_001, message: 'Session not found' };
        return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
      }
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
