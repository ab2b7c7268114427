import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestInFlight } from './requests-in-flight.ts';

interface Deps {
  /** Without a byte for so long while a request is being read; 0 for ever. */
  readonly readTimeoutMs: number;
  /** Without progress for so long while an answer is being written. */
  readonly writeTimeoutMs: number;
  /** A request that stopped coming: answer it if that can still be done. */
  readonly onReadStall: (socket: Socket, exchange: RequestInFlight | undefined) => void;
}

/**
 * Watches connections for stalls: the clock of reading runs only while a head or a body is expected, the clock of
 * writing only while bytes wait to be taken. Work in between may be silent for as long as it likes.
 */
export function watchSockets(server: Server, { readTimeoutMs, writeTimeoutMs, onReadStall }: Deps) {
  const exchanges = new WeakMap<Socket, RequestInFlight>();
  // Node restores this time-out whenever a kept connection begins its next request.
  server.timeout = readTimeoutMs;

  // With a listener here Node does not destroy the socket by itself.
  server.on('timeout', (socket: Socket) => {
    const exchange = exchanges.get(socket);
    if (!exchange) {
      onReadStall(socket, undefined);
      return;
    }
    const { incoming, outgoing } = exchange;
    if (outgoing.writableFinished) {
      // Kept alive, and nobody came back.
      socket.destroy();
    } else if (outgoing.headersSent) {
      // Node's timer starts anew while the kernel still takes bytes: this is a peer that takes none.
      if (socket.writableLength > 0 || outgoing.writableLength > 0) socket.destroy();
    } else if (!incoming.complete) {
      onReadStall(socket, exchange);
    }
  });

  return {
    /** A request's head has come. */
    began(exchange: RequestInFlight): void {
      const { socket } = exchange.incoming;
      exchanges.set(socket, exchange);
      if (readTimeoutMs === 0) return;
      const pause = () => socket.setTimeout(0);
      if (exchange.incoming.complete) pause();
      else exchange.incoming.once('end', pause);
    },
    /** Its answer is about to be written. */
    answering({ incoming: { socket } }: RequestInFlight): void {
      socket.setTimeout(writeTimeoutMs);
    },
  };
}
