import { type Clock, sleep } from '../../platform/clock.ts';

/** Spreads the events of a call over its time, as those of a real provider are. */
export interface Pace {
  /** Resolves when this share (0..1) of the time is over. */
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
