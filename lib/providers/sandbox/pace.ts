import { type Clock, sleep } from '../../platform/clock.ts';

/** Spreads a call over a time: the steps of a real provider come one after the other too. */
export interface Pace {
  /** Resolves once this share (0..1) of the time is over, at once when it already is. */
  reach(share: number): Promise<void>;
}

/** Its `reach` rejects with the signal's reason on abort. */
export function createPace(clock: Clock, totalMs: number, signal: AbortSignal): Pace {
  const startMs = clock.monotonicMs();
  return {
    async reach(share) {
      signal.throwIfAborted();
      const leftMs = startMs + totalMs * share - clock.monotonicMs();
      if (leftMs > 0) await sleep(clock, leftMs, signal);
    },
  };
}
