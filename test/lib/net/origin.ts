import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/test-certificate.ts';

export interface Origin {
  readonly url: string;
  readonly port: number;
  /** All connections so far, in the order of arrival. */
  readonly connections: readonly Socket[];
  /** The number of open connections with a completed handshake. */
  open(): number;
  close(): Promise<void>;
}

/** An HTTP server on loopback. */
export function startOrigin(listener: RequestListener): Promise<Origin> {
  return listen(createHttpServer(listener));
}

/** An HTTPS server on loopback with `TEST_CERTIFICATE`. Connections are counted before their handshake. */
export function startSecureOrigin(listener: RequestListener): Promise<Origin> {
  return listen(createHttpsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, listener), 'https');
}

/** A server on loopback that sends exactly these bytes after each complete request head, and then runs `after`. */
export function startRawOrigin(said: string, after: (socket: Socket) => void): Promise<Origin> {
  return listen(
    createServer((socket) => {
      socket.on('error', () => undefined);
      let head = '';
      socket.on('data', (chunk) => {
        head += chunk;
        if (!head.includes('\r\n\r\n')) return;
        head = '';
        socket.write(said, () => after(socket));
      });
    }),
  );
}

/** A port on loopback that refuses connections. */
export async function refusingPort(): Promise<number> {
  const origin = await listen(createServer());
  await origin.close();
  return origin.port;
}

async function listen(server: Server, scheme = 'http'): Promise<Origin> {
  const connections: Socket[] = [];
  let open = 0;
  server.on('connection', (socket: Socket) => connections.push(socket));
  server.on(scheme === 'https' ? 'secureConnection' : 'connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `${scheme}://127.0.0.1:${address.port}`,
    port: address.port,
    connections,
    open: () => open,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}
