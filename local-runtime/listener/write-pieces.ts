import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/platform/clock.ts';

interface Options {
  readonly clock: Pick<Clock, 'after'>;
  /** Aborts when the grace of a shutdown is over: the rest of the body then has one second. */
  readonly shutdown: AbortSignal;
}

const LAST_PIECES_MS = 1000;

/**
 * Writes a body piece by piece, each when the one before has been written: none is made for a client that does not read.
 * Resolves at the end of the body, or when the connection has broken.
 */
export async function writePieces(
  body: AsyncIterable<Uint8Array>,
  outgoing: ServerResponse,
  { clock, shutdown }: Options,
): Promise<void> {
  let cancel = () => {};
  const onShutdown = () => {
    cancel = clock.after(LAST_PIECES_MS, () => outgoing.destroy());
  };
  if (shutdown.aborted) onShutdown();
  else shutdown.addEventListener('abort', onShutdown, { once: true });
  try {
    for await (const piece of body) {
      if (outgoing.destroyed) return;
      await write(piece, outgoing);
    }
    outgoing.end();
  } catch {
    // The status line has been sent. Only a broken connection can still say that this is not the whole body.
    outgoing.destroy();
  } finally {
    cancel();
    shutdown.removeEventListener('abort', onShutdown);
  }
}

/** Resolves when the kernel has the piece, or the connection has broken. */
function write(piece: Uint8Array, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      outgoing.off('close', settle);
      resolve();
    };
    outgoing.once('close', settle);
    outgoing.write(piece, settle);
  });
}
