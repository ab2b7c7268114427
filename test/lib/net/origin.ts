import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';

export interface Origin {
  readonly url: string;
  readonly port: number;
  /** Every connection so far, in the order of their arrival. */
  readonly connections: readonly Socket[];
  close(): Promise<void>;
}

/** An HTTP server on loopback. */
export function startOrigin(listener: RequestListener): Promise<Origin> {
  return listen(createHttpServer(listener));
}

/** A server on loopback that says exactly these bytes to whoever has sent a whole head, and then what `after` does. */
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

async function listen(server: Server): Promise<Origin> {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => connections.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    connections,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}
