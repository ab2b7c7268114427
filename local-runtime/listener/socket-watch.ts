import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestInFlight } from './requests-in-flight.ts';

interface Deps {
  /** The longest time without a byte while a request is being read; 0 is no limit. */
  readonly readTimeoutMs: number;
  /** The longest time without progress while a reply is being written. */
  readonly writeTimeoutMs: number;
  /** A request that stopped before its end. `request` is absent when its head was not complete. */
  readonly onReadStall: (socket: Socket, request: RequestInFlight | undefined) => void;
}

/**
 * Watches connections for stalls. The read time-out counts only while a head or a body is expected, the write time-out
 * only while bytes wait to be sent. The work in between may be silent for any time.
 */
export function watchSockets(server: Server, { readTimeoutMs, writeTimeoutMs, onReadStall }: Deps) {
  const open = new Set<Socket>();
  const requests = new WeakMap<Socket, RequestInFlight>();
  // The replies that have not ended yet, one behind the other on their connection.
  const replies = new WeakMap<Socket, Set<ServerResponse>>();
  // Node restores this time-out whenever a kept connection begins its next request.
  server.timeout = readTimeoutMs;

  server.on('connection', (socket: Socket) => {
    const pending = new Set<ServerResponse>();
    open.add(socket);
    replies.set(socket, pending);
    socket.once('close', () => {
      open.delete(socket);
      // Node 22 reports the end of a connection only to the first of them. The work for the others would never end.
      for (const outgoing of pending) outgoing.destroy().emit('close');
    });
    // Node removes its own listener from a socket that it detaches (CONNECT), and an error without one ends the process.
    socket.on('error', ignore);
  });

  // Each request has one of these events, when its head is complete.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, began);

  function began(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const pending = replies.get(socket);
    requests.set(socket, { incoming, outgoing });
    pending?.add(outgoing);
    outgoing.once('close', () => pending?.delete(outgoing));
  }

  // With a listener here Node does not destroy the socket.
  server.on('timeout', (socket: Socket) => {
    // Node's timer restarts while the kernel still accepts bytes: this client reads none.
    if (socket.writableLength > 0) {
      socket.destroy();
      return;
    }
    // The last one: those before it on this connection may still be worked on.
    const request = requests.get(socket);
    if (!request) {
      onReadStall(socket, undefined);
      return;
    }
    const { incoming, outgoing } = request;
    // Kept alive, and no further request came.
    if (outgoing.writableFinished) socket.destroy();
    else if (!outgoing.headersSent && !incoming.complete) onReadStall(socket, request);
    // Else the work takes longer than the read time-out.
  });

  return {
    /** To be called before the reply is written. */
    replying({ incoming: { socket } }: RequestInFlight): void {
      socket.setTimeout(writeTimeoutMs);
    },

    /** The request of the socket whose head has been parsed and whose body is still expected. */
    receiving(socket: Socket): IncomingMessage | undefined {
      const incoming = requests.get(socket)?.incoming;
      return incoming?.complete ? undefined : incoming;
    },

    /** Closes every connection, those too that Node has detached and no longer counts as its own. */
    destroyAll(): void {
      for (const socket of open) socket.destroy();
    },
  };
}

function ignore(): void {}
