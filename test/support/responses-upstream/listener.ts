import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Handler = (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;

/** By method and path, as `POST /oauth/token`. A handler never rejects. */
export type Routes = Readonly<Record<string, Handler>>;

/** Listens on 127.0.0.1, counts the connections, and replies 404 or 405 where no route matches. */
export async function listen(port: number, routes: Routes, onChange: () => void) {
  const sockets = new Set<Socket>();
  const unrouted: string[] = [];
  const server = createServer((incoming, response) => {
    // A client that disconnects is not a failure of the server: the handlers see it by their signal.
    response.on('error', () => undefined);
    const route = `${incoming.method} ${incoming.url}`;
    const handle =
      routes[route] ?? (incoming.method === 'GET' ? routes[withoutQuery(route)] : undefined);
    if (handle) return void handle(incoming, response);
    unrouted.push(route);
    onChange();
    const isKnown = Object.keys(routes).some((known) => known.split(' ')[1] === incoming.url);
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

function withoutQuery(route: string): string {
  return route.split('?')[0] ?? '';
}

function replyUnrouted(response: ServerResponse, status: 404 | 405): void {
  const code = status === 404 ? 'not_found' : 'method_not_allowed';
  const error = { message: 'no such route', type: 'invalid_request_error', param: null, code };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
}
