import type { Socket } from 'node:net';
import type { Clock } from '../../../lib/platform/clock.ts';

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  /** The time between two checks of a connection. */
  readonly writeTimeoutMs: number;
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Called after a connection was closed. */
  readonly onStall?: (() => void) | undefined;
}

/**
 * The minimum rate at which a client must read. The rate is far below the rate of a slow client, because several connections may
 * share a slow network.
 */
const MIN_BYTES_PER_SECOND = 1024;

/**
 * Closes the connections of clients that do not read. A connection is closed if bytes wait at two checks in a row and fewer bytes
 * were sent between the checks than the minimum rate requires. The watch does not use the time-out of a socket, because received
 * bytes restart that time-out: a client that slowly sends a body could keep its reply in memory for ever.
 */
export function watchReplies({ clock, writeTimeoutMs, sockets, onStall }: Deps) {
  const minBytes = (MIN_BYTES_PER_SECOND * writeTimeoutMs) / 1000;
  // Contains only connections with waiting bytes: the number of sent bytes that the next check requires.
  let required = new Map<Socket, number>();
  let isRunning = false;

  function check(): void {
    const next = new Map<Socket, number>();
    for (const socket of sockets) {
      const { sent, waiting } = progressOf(socket);
      if (waiting === 0) continue;
      if (sent < (required.get(socket) ?? 0)) {
        // A reset also discards the bytes that the kernel would keep for the client.
        socket.resetAndDestroy();
        onStall?.();
      } else next.set(socket, sent + Math.min(waiting, minBytes));
    }
    required = next;
    isRunning = sockets.size > 0;
    if (isRunning) clock.after(writeTimeoutMs, check);
  }

  return {
    /** Starts the checks, which end when no connection is open. */
    start(): void {
      if (isRunning) return;
      isRunning = true;
      clock.after(writeTimeoutMs, check);
    },
  };
}

/** Returns the number of bytes that the kernel has accepted and the number of bytes that wait in this process. */
function progressOf(socket: Socket): { readonly sent: number; readonly waiting: number } {
  // A public member that counts the accepted part of a long write does not exist. Node's own time-out reads the same members.
  const { _handle: handle } = socket as Socket & {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  if (!handle) return { sent: 0, waiting: 0 };
  const sent = handle.bytesWritten - handle.writeQueueSize;
  return { sent, waiting: socket.bytesWritten - sent };
}
