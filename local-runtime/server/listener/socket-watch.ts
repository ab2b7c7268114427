import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, toTimerMs } from '../../../lib/platform/clock.ts';
import { watchReplies } from './reply-watch.ts';
import type { RequestInFlight } from './requests-in-flight.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  /** The maximum time without a byte while a request is being read. 0 means no limit. */
  readonly readTimeoutMs: number;
  /** The time between two checks of the replies that are being sent, as `watchReplies` requires. */
  readonly writeTimeoutMs: number;
  /** Called if a request stalls before its end. `request` is undefined if the head of the request is incomplete. */
  readonly onReadStall: (socket: Socket, request: RequestInFlight | undefined) => void;
  /** Called after a connection was closed because its client does not read the reply. */
  readonly onWriteStall?: (() => void) | undefined;
}

/**
 * Watches connections for stalls. The read time-out applies only while a head or a body is expected. The write time-out
 * applies only while bytes wait to be sent. The work between reading and writing can take any time.
 */
export function watchSockets(server: Server, deps: Deps) {
  const { clock, readTimeoutMs, writeTimeoutMs, onReadStall, onWriteStall } = deps;
  const open = new Set<Socket>();
  const sending = watchReplies({ clock, writeTimeoutMs, sockets: open, onStall: onWriteStall });
  const requests = new WeakMap<Socket, RequestInFlight>();
  // The unfinished replies of each connection, in order.
  const replies = new WeakMap<Socket, Set<ServerResponse>>();
  // Node restores this time-out whenever a kept-alive connection begins its next request.
  server.timeout = toTimerMs(readTimeoutMs);

  server.on('connection', (socket: Socket) => {
    const pending = new Set<ServerResponse>();
    open.add(socket);
    sending.start();
    replies.set(socket, pending);
    socket.once('close', () => {
      open.delete(socket);
      // Node 22 emits `close` only for the first reply of a connection. Without this loop, work for later replies never ends.
      for (const outgoing of pending) outgoing.destroy().emit('close');
    });
    // Node removes its own listener from the socket of a CONNECT request. An error without a listener would end the process.
    socket.on('error', ignore);
  });

  // Node emits one of these events for each request, when its head is complete.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, began);

  function began(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const pending = replies.get(socket);
    requests.set(socket, { incoming, outgoing });
    pending?.add(outgoing);
    outgoing.once('close', () => pending?.delete(outgoing));
  }

  // Because of this listener, Node does not destroy the socket itself.
  server.on('timeout', (socket: Socket) => {
    // The reply watch closes the connection of a client that does not read.
    if (socket.writableLength > 0) return;
    // The latest request of the connection. Earlier requests may still be running.
    const request = requests.get(socket);
    if (!request) {
      onReadStall(socket, undefined);
      return;
    }
    const { incoming, outgoing } = request;
    // The connection was kept alive, but no further request arrived.
    if (outgoing.writableFinished) socket.destroy();
    else if (!outgoing.headersSent && !incoming.complete) onReadStall(socket, request);
    // In all other cases the work takes longer than the read time-out, which is allowed.
  });

  return {
    /**
     * Returns the request of the socket if its head has been parsed and its body is still expected. Otherwise returns undefined.
     */
    receiving(socket: Socket): IncomingMessage | undefined {
      const incoming = requests.get(socket)?.incoming;
      return incoming?.complete ? undefined : incoming;
    },

    /** Closes every connection, including connections that Node has detached and no longer tracks. */
    destroyAll(): void {
      for (const socket of open) socket.destroy();
    },
  };
}

function ignore(): void {}
