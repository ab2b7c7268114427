import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Handler = (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Handlers by method and path, for example `POST /oauth/token`. A segment `*` matches any one segment. A handler never
 * rejects.
 */
export type Routes = Readonly<Record<string, Handler>>;

interface Options {
  /** Port to listen on. 0 for a free port. */
  readonly port: number;
  readonly routes: Routes;
  /** True if a POST may have a query. A GET always may. */
  readonly takesQueries?: boolean;
  readonly onChange: () => void;
}

/** Listens on 127.0.0.1, counts the connections, and replies 404 or 405 if no route matches. */
export async function listen({ port, routes, takesQueries = false, onChange }: Options) {
  const sockets = new Set<Socket>();
  const unrouted: string[] = [];
  const server = createServer((incoming, response) => {
    // A disconnect of a client is not a failure of the server, and the handlers see it by their signal.
    response.on('error', () => undefined);
    const { method = '', url = '' } = incoming;
    const path = takesQueries || method === 'GET' ? (url.split('?')[0] ?? '') : url;
    const handle = routes[`${method} ${path}`] ?? handlerOf(routes, method, path);
    if (handle) return void handle(incoming, response);
    unrouted.push(`${method} ${url}`);
    onChange();
    const isKnown = ['GET', 'POST'].some((other) => handlerOf(routes, other, path));
    replyUnrouted(response, isKnown ? 405 : 404);
  });
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket);
    onChange();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      onChange();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();

  return {
    port: typeof address === 'object' && address ? address.port : port,
    unrouted: (): readonly string[] => unrouted,
    connections: () => sockets.size,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function handlerOf(routes: Routes, method: string, path: string): Handler | undefined {
  const found = Object.entries(routes).find(([route]) => {
    const [routeMethod, routePath = ''] = route.split(' ');
    return routeMethod === method && isMatch(routePath.split('/'), path.split('/'));
  });
  return found?.[1];
}

function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => part === segments[index] || part === '*');
}

function replyUnrouted(response: ServerResponse, status: 404 | 405): void {
  const code = status === 404 ? 'not_found' : 'method_not_allowed';
  const error = { message: 'no such route', type: 'invalid_request_error', param: null, code };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
}
