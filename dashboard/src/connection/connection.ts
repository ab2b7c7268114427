import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';

export type ConnectionState = 'connecting' | 'connected' | 'offline' | 'unauthorized';

/** Whom the page works for. */
export interface Caller {
  /** Undefined where none is needed. */
  readonly token: string | undefined;
  /** The bridge has accepted a request of this caller. */
  readonly isAccepted: boolean;
}

const TOKEN_KEY = 'image-bridge.token';

export type Connection = ReturnType<typeof createConnection>;

/**
 * Whether the bridge can be reached, and with which token. The token is kept in this tab's sessionStorage alone, as the
 * specification demands. Requests report how they went; while the bridge cannot be reached, its liveness is asked for,
 * at growing intervals.
 */
export function createConnection() {
  const state = signal<ConnectionState>('connecting');
  const token = signal<string | undefined>(sessionStorage.getItem(TOKEN_KEY) ?? undefined);
  /**
   * Whom the page works for: a new token only once the bridge has accepted it, so that a mistyped one changes nothing. Undefined
   * after the token was forgotten, and where one is needed and none was given.
   */
  const caller = signal<Caller | undefined>({ token: token.peek(), isAccepted: false });
  /** Grows by one with every return of the bridge, so that what is shown can be brought up to date. */
  const returns = signal(0);
  /** When the bridge is asked for next, in Unix milliseconds, while it cannot be reached. */
  const nextTry = signal<number | undefined>(undefined);
  /** Grows by one when somebody wants to enter a token. */
  const asksForToken = signal(0);
  let wait = 500;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function reachable(): void {
    clearTimeout(timer);
    wait = 500;
    nextTry.value = undefined;
    if (state.value === 'offline') returns.value += 1;
    state.value = 'connected';
  }

  function reportUnreachable(): void {
    if (state.value !== 'unauthorized') state.value = 'offline';
    clearTimeout(timer);
    timer = setTimeout(probe, wait);
    nextTry.value = Date.now() + wait;
    wait = Math.min(wait * 2, 8000);
  }

  async function probe(): Promise<void> {
    try {
      await fetch('/health/live', { cache: 'no-store' });
      // Liveness is public: it says nothing about a token.
      if (state.value === 'offline') reachable();
    } catch {
      reportUnreachable();
    }
  }

  return {
    state: state as ReadonlySignal<ConnectionState>,
    token: token as ReadonlySignal<string | undefined>,
    caller: caller as ReadonlySignal<Caller | undefined>,
    returns: returns as ReadonlySignal<number>,
    nextTry: nextTry as ReadonlySignal<number | undefined>,
    asksForToken: asksForToken as ReadonlySignal<number>,
    online: computed(() => state.value === 'connected'),

    /** `usedToken` is what the request carried: a 401 to a token that was replaced meanwhile says nothing. */
    reportReply(status: number, usedToken: string | undefined): void {
      const isCurrent = usedToken === token.peek();
      if (status !== 401) {
        reachable();
        // A gateway in front of the bridge says nothing about a token.
        if (isCurrent && status < 500) accept(caller, usedToken);
      } else if (isCurrent) {
        state.value = 'unauthorized';
        if (usedToken === undefined) caller.value = undefined;
      }
    },
    reportUnreachable,

    /** Asks now whether the bridge is back, instead of at the next interval. */
    probe(): void {
      clearTimeout(timer);
      void probe();
    },

    askForToken(): void {
      asksForToken.value += 1;
    },

    /** Keeps the token for this tab, or forgets it. Whether the bridge accepts it shows with the next request. */
    setToken(next: string | undefined): void {
      storeToken(next);
      if (next === undefined) caller.value = undefined;
      token.value = next;
      state.value = 'connecting';
      returns.value += 1;
    },
  };
}

function accept(caller: Signal<Caller | undefined>, token: string | undefined): void {
  const known = caller.peek();
  if (known?.isAccepted && known.token === token) return;
  caller.value = { token, isAccepted: true };
}

function storeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(TOKEN_KEY);
  else sessionStorage.setItem(TOKEN_KEY, token);
}
