import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The part of a COMMIT that the network loses, together with the connection. */
export type CommitLoss = 'request' | 'reply';

/** A connection to a PostgreSQL server through which a test can lose messages. */
export interface PostgresProxy {
  /** The connection URL of the server through the proxy. */
  readonly url: string;
  /** Loses the next COMMIT. With `away`, all later connections are refused. */
  loseNextCommit(loss: CommitLoss, options?: { readonly away: boolean }): void;
  /** Delays the replies of the connection that sends the next COMMIT, beginning with the reply to the COMMIT. */
  delayNextCommit(delayMs: number): void;
  /** Accepts connections again. */
  comeBack(): void;
  /** Ends all connections, and connects later connections to another server. */
  moveTo(serverUrl: string): void;
  close(): Promise<void>;
}

const COMMIT = Buffer.from('COMMIT\0');

/** Starts a proxy in front of the server with this URL, which must not use TLS. */
export async function startPostgresProxy(serverUrl: string): Promise<PostgresProxy> {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let next: { readonly loss: CommitLoss; readonly away: boolean } | undefined;
  let isAway = false;
  let nextDelayMs = 0;

  function forward(client: Socket): void {
    if (isAway) return void client.destroy();
    const server = connect(Number(target.port), target.hostname);
    let isReplyLost = false;
    let delayMs = 0;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const other of [client, server]) other.destroy();
      });
    }
    client.on('data', (bytes: Buffer) => {
      if (next && bytes.includes(COMMIT)) {
        const { loss, away } = next;
        next = undefined;
        isAway = away;
        if (loss === 'request') return void client.destroy();
        isReplyLost = true;
      }
      if (nextDelayMs > 0 && bytes.includes(COMMIT)) {
        delayMs = nextDelayMs;
        nextDelayMs = 0;
      }
      server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      if (isReplyLost) client.destroy();
      else if (delayMs > 0) setTimeout(() => client.write(bytes), delayMs);
      else client.write(bytes);
    });
  }

  const listener = createServer(forward).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  // A server that listens on a TCP port has an address of this form.
  const { port } = listener.address() as AddressInfo;
  const url = new URL(serverUrl);
  url.port = `${port}`;
  return {
    url: url.href,
    loseNextCommit(loss, { away } = { away: false }) {
      next = { loss, away };
    },
    delayNextCommit(ms) {
      nextDelayMs = ms;
    },
    comeBack() {
      isAway = false;
    },
    moveTo(otherUrl) {
      target = new URL(otherUrl);
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
