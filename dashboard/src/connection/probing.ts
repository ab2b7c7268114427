import { type ReadonlySignal, signal } from '@preact/signals';

/** The time in milliseconds after which a request without a reply makes the page check that the bridge is reachable. */
const SLOW_MS = 8000;
/** The time in milliseconds after which the check fails. */
const PROBE_MS = 5000;

interface Listeners {
  readonly onAlive: () => void;
  readonly onUnreachable: () => void;
}

/** Asks the public liveness route whether the bridge is reachable, with growing pauses while it is not. */
export function createProbing({ onAlive, onUnreachable }: Listeners) {
  const nextTry = signal<number | undefined>(undefined);
  let wait = 500;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Aborted when the network delivers nothing, because the requests on their way would wait for minutes. */
  let lost = new AbortController();

  function tryLater(): void {
    timer = setTimeout(probe, wait);
    nextTry.value = Date.now() + wait;
    wait = Math.min(wait * 2, 8000);
  }

  async function probe(): Promise<void> {
    clearTimeout(timer);
    nextTry.value = undefined;
    try {
      await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) });
      onAlive();
    } catch {
      reportUnreachable();
      lost.abort();
      lost = new AbortController();
    }
  }

  function reportUnreachable(): void {
    onUnreachable();
    if (nextTry.value === undefined) tryLater();
  }

  return {
    /** The time of the next liveness request in Unix milliseconds, if one is planned. */
    nextTry: nextTry as ReadonlySignal<number | undefined>,
    probe: (): void => void probe(),
    reportUnreachable,

    /** Plans no further request. */
    stop(): void {
      clearTimeout(timer);
      wait = 500;
      nextTry.value = undefined;
    },

    /**
     * Calls `run` with a signal that is aborted when the network delivers nothing. If the reply is slow, checks whether the bridge is
     * reachable. Resolves with the result of `run`.
     */
    async guard<T>(run: (lost: AbortSignal) => Promise<T>): Promise<T> {
      const slow = setTimeout(probe, SLOW_MS);
      try {
        return await run(lost.signal);
      } finally {
        clearTimeout(slow);
      }
    },
  };
}
