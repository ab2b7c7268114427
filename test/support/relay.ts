import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between clients and a server on this machine, which a test can interrupt. */
export interface Relay {
  readonly address: string;
  /** Ends all connections and refuses new ones until `restore` is called. */
  cut(): void;
  /** Holds all bytes back until `restore` is called, like a network that drops packets. */
  stall(): void;
  restore(): void;
  /**
   * Delivers the next request that begins with this text, such as `POST /v1/jobs `, loses its reply, and then is cut. With `after`,
   * this number of bytes of the reply arrives. Resolves when the reply is lost.
   */
  loseReply(request: string, after?: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a relay to a port of this machine, at which a server need not listen yet. */
export async function startRelay(port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  let loss: { readonly request: Buffer; readonly after: number; onLost(): void } | undefined;

  function cut(): void {
    state = 'cut';
    for (const socket of sockets) socket.resetAndDestroy();
  }

  function forward(client: Socket): void {
    if (state === 'cut') return void client.resetAndDestroy();
    const server = connect(port, '127.0.0.1');
    let lost: typeof loss;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const other of [client, server]) other.destroy();
      });
      if (state === 'stalled') socket.pause();
    }
    client.on('data', (bytes: Buffer) => {
      if (loss && bytes.subarray(0, loss.request.length).equals(loss.request)) {
        lost = loss;
        loss = undefined;
      }
      server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      if (lost === undefined) return void client.write(bytes);
      const { after, onLost } = lost;
      client.write(bytes.subarray(0, after), () => {
        cut();
        onLost();
      });
    });
  }

  const listener = createServer(forward).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  // A server that listens on a TCP port has an address of this form.
  const { port: ownPort } = listener.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${ownPort}`,
    cut,
    stall() {
      state = 'stalled';
      for (const socket of sockets) socket.pause();
    },
    restore() {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
    loseReply(request, after = 0) {
      return new Promise((resolve) => {
        loss = { request: Buffer.from(request), after, onLost: resolve };
      });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
