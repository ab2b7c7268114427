import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/platform/clock.ts';

export interface DrainOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** `server.max_body_bytes`. */
  readonly maxDrainBytes: number;
  /** Aborts when the grace of a shutdown is over: nothing is drained any longer. */
  readonly shutdown: AbortSignal;
}

const DRAIN_MS = 2000;

/**
 * Reads and discards what is left of a request whose reply was sent early, within the limits of contract.md 0. To close
 * a connection with unread bytes resets it, and the client would lose the reply.
 */
export function drain(
  stream: Readable,
  { clock, maxDrainBytes, shutdown }: DrainOptions,
): Promise<void> {
  if (stream.destroyed || stream.readableEnded || shutdown.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let discarded = 0;
    const finish = () => {
      cancel();
      shutdown.removeEventListener('abort', finish);
      stream.off('data', onData).off('end', finish).off('error', finish).off('close', finish);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > maxDrainBytes) finish();
    };
    const cancel = clock.after(DRAIN_MS, finish);
    shutdown.addEventListener('abort', finish, { once: true });
    stream.on('data', onData).on('end', finish).on('error', finish).on('close', finish);
    stream.resume();
  });
}
