/** The only source of time. Tests replace the clock to control the time. */
export interface Clock {
  /** Returns the wall time in milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Returns the milliseconds since an arbitrary start. The value never decreases. */
  monotonicMs(): number;
  /**
   * Calls `run` once after `delayMs`, unless the returned function is called earlier. The timer does not keep the process
   * alive.
   */
  after(delayMs: number, run: () => void): () => void;
}

// Node fires a timer with a longer delay immediately.
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const stepMs = toTimerMs(Math.max(leftMs, 0));
      timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : run()), stepMs);
      timer.unref();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Returns a time-out for a timer of Node or of a library, which cannot wait longer than 24.8 days. A longer time-out is reduced to
 * this time.
 */
export function toTimerMs(timeoutMs: number): number {
  return Math.min(timeoutMs, MAX_TIMER_MS);
}

/** Keeps the process alive until the returned function is called. */
export function stayAwake(): () => void {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  return () => clearInterval(timer);
}

/** Returns whole seconds since the Unix epoch, the unit of points in time in the API. */
export function nowSecs(clock: Pick<Clock, 'nowMs'>): number {
  return Math.floor(clock.nowMs() / 1000);
}

/** Resolves after `delayMs`. Rejects with the signal's reason immediately on abort. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
