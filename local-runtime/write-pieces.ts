import type { ServerResponse } from 'node:http';
import type { Clock } from '../lib/platform/clock.ts';

interface Patience {
  readonly clock: Pick<Clock, 'after'>;
  /** Aborts when the house closes: from then on each piece has a moment only. */
  readonly lastCall: AbortSignal;
}

const LAST_PIECE_MS = 1000;

/**
 * Writes a body as it comes, each piece when the one before has been taken: whoever makes them makes none for a peer that
 * does not read. Resolves at the end of the body, or when the connection has broken.
 */
export async function writePieces(
  body: AsyncIterable<Uint8Array>,
  outgoing: ServerResponse,
  patience: Patience,
): Promise<void> {
  try {
    for await (const piece of body) {
      if (outgoing.destroyed) return;
      await handOver(piece, outgoing, patience);
    }
    outgoing.end();
  } catch {
    // The status line is out, so that a broken connection is the only way left to say that this is not the whole.
    outgoing.destroy();
  }
}

/** Resolves when the kernel has the piece, or the connection has broken. */
function handOver(
  piece: Uint8Array,
  outgoing: ServerResponse,
  { clock, lastCall }: Patience,
): Promise<void> {
  return new Promise((resolve) => {
    let cancel = () => {};
    const hurry = () => {
      cancel = clock.after(LAST_PIECE_MS, () => outgoing.destroy());
    };
    const settle = () => {
      cancel();
      lastCall.removeEventListener('abort', hurry);
      outgoing.off('close', settle);
      resolve();
    };
    if (lastCall.aborted) hurry();
    else lastCall.addEventListener('abort', hurry, { once: true });
    outgoing.once('close', settle);
    outgoing.write(piece, settle);
  });
}
