import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, ApiError, joined, unwrap } from '../api/api.ts';
import type { Diagnostics } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';

/** One diagnostics report of the bridge, and the time when it was read. */
export interface Reading {
  readonly report: Diagnostics;
  /** Unix milliseconds by the clock of this machine. */
  readonly at: number;
}

export type DiagnosticsSource = ReturnType<typeof createDiagnostics>;

export const POLL_MS = 3000;
const TIMEOUT_MS = 10_000;

/** Reads the state of the bridge: once on request, or repeatedly while a view shows the state. */
export function createDiagnostics(api: Api, connection: Connection) {
  const latest = signal<Reading | undefined>(undefined);
  const error = signal<ApiError | undefined>(undefined);
  /** Starts a read, or joins the read in progress. A failure is stored in `error`. */
  const read = joined(async () => {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const report = await unwrap(api.GET('/v1/diagnostics', { signal }));
      latest.value = { report, at: Date.now() };
      error.value = undefined;
    } catch (failure) {
      error.value = ApiError.of(failure);
    }
  });

  return {
    /** The last report that was read successfully, and the time of that read. */
    latest: latest as ReadonlySignal<Reading | undefined>,
    /** The reason why the last read failed. Undefined if the last read succeeded. */
    error: error as ReadonlySignal<ApiError | undefined>,
    read,

    /** Reads every three seconds while the page is visible and the bridge responds. Returns a stop function. */
    watch(): () => void {
      let isStopped = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      async function round(): Promise<void> {
        clearTimeout(timer);
        const isBlocked = ['offline', 'unauthorized'].includes(connection.state.peek());
        if (isStopped || document.hidden || isBlocked) return;
        await read();
        clearTimeout(timer);
        timer = setTimeout(round, POLL_MS);
      }
      const next = () => void round();
      document.addEventListener('visibilitychange', next);
      const forgetReturns = effect(() => {
        void connection.returns.value;
        void connection.state.value;
        next();
      });
      return () => {
        isStopped = true;
        clearTimeout(timer);
        forgetReturns();
        document.removeEventListener('visibilitychange', next);
      };
    },
  };
}
