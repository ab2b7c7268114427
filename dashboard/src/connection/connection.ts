import { computed, type ReadonlySignal, signal } from '@preact/signals';

export type ConnectionState = 'connecting' | 'connected' | 'offline' | 'unauthorized';

/** The user whose data the page shows. */
export interface Caller {
  /** Undefined if no token is needed. */
  readonly token: string | undefined;
  /** True if the bridge has accepted a request of this caller. */
  readonly isAccepted: boolean;
}

const TOKEN_KEY = 'image-bridge.token';

/** The time in milliseconds after which a request without a reply makes the page check that the bridge is reachable. */
const SLOW_MS = 8000;
/** The time in milliseconds after which the check fails. */
const PROBE_MS = 5000;

export type Connection = ReturnType<typeof createConnection>;

/**
 * Tracks whether the bridge is reachable, and which token the page uses. Every API request reports its outcome here.
 * The token is stored only in the `sessionStorage` of this tab, which the browser deletes with the tab.
 */
export function createConnection() {
  const state = signal<ConnectionState>('connecting');
  const token = signal<string | undefined>(sessionStorage.getItem(TOKEN_KEY) ?? undefined);
  /** The user whose data the page shows. A new token counts after the bridge has accepted the token. */
  const caller = signal<Caller | undefined>({ token: token.peek(), isAccepted: false });
  /** A counter that increases whenever the bridge becomes reachable again, so that views reload their data. */
  const returns = signal(0);
  /** While the bridge is unreachable, the time of the next liveness request in Unix milliseconds. */
  const nextTry = signal<number | undefined>(undefined);
  /** A counter that increases whenever the user asks to enter a token. */
  const asksForToken = signal(0);
  let wait = 500;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Aborted when the network delivers nothing, because the requests on their way would wait for minutes. */
  let lost = new AbortController();

  function reachable(): void {
    clearTimeout(timer);
    wait = 500;
    nextTry.value = undefined;
    if (state.value === 'offline') returns.value += 1;
    state.value = 'connected';
  }

  function reportUnreachable(): void {
    if (state.value !== 'unauthorized') state.value = 'offline';
    if (nextTry.value === undefined) tryLater();
  }

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
      // The liveness route is public, so its reply does not show whether the token is accepted.
      if (state.value === 'offline') reachable();
    } catch {
      reportUnreachable();
      lost.abort();
      lost = new AbortController();
    }
  }

  // The browser knows at once that its network has changed. A bridge on the same machine stays reachable.
  for (const event of ['offline', 'online']) window.addEventListener(event, () => void probe());

  return {
    state: state as ReadonlySignal<ConnectionState>,
    token: token as ReadonlySignal<string | undefined>,
    caller: caller as ReadonlySignal<Caller | undefined>,
    returns: returns as ReadonlySignal<number>,
    nextTry: nextTry as ReadonlySignal<number | undefined>,
    asksForToken: asksForToken as ReadonlySignal<number>,
    online: computed(() => state.value === 'connected'),

    /** Reports the status of a reply to a request with `usedToken`. A 401 for a replaced token is ignored. */
    reportReply(status: number, usedToken: string | undefined): void {
      const isCurrent = usedToken === token.peek();
      if (status !== 401) {
        reachable();
        // A 5xx reply may come from a gateway in front of the bridge, and the gateway does not check the token.
        const known = caller.peek();
        const isKnown = known?.isAccepted && known.token === usedToken;
        if (isCurrent && status < 500 && !isKnown) {
          caller.value = { token: usedToken, isAccepted: true };
        }
      } else if (isCurrent) {
        state.value = 'unauthorized';
        if (usedToken === undefined) caller.value = undefined;
      }
    },
    reportUnreachable,

    /**
     * Calls `run` with a signal that is aborted when the network delivers nothing. A slow reply makes the page check this. Resolves with
     * the result of `run`.
     */
    async guard<T>(run: (lost: AbortSignal) => Promise<T>): Promise<T> {
      const slow = setTimeout(probe, SLOW_MS);
      try {
        return await run(lost.signal);
      } finally {
        clearTimeout(slow);
      }
    },

    /** Checks now whether the bridge is reachable, without waiting for the next interval. */
    probe: (): void => void probe(),

    askForToken(): void {
      asksForToken.value += 1;
    },

    /** Stores the token for this tab, or forgets it. The next request shows whether the bridge accepts the token. */
    setToken(next: string | undefined): void {
      if (next === undefined) {
        sessionStorage.removeItem(TOKEN_KEY);
        caller.value = undefined;
      } else sessionStorage.setItem(TOKEN_KEY, next);
      token.value = next;
      state.value = 'connecting';
      returns.value += 1;
    },
  };
}
