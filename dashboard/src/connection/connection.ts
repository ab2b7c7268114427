import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { createProbing } from './probing.ts';

export type ConnectionState = 'connecting' | 'connected' | 'offline' | 'unauthorized';

/** The user whose data the page shows. */
export interface Caller {
  /** Undefined if no token is needed. */
  readonly token: string | undefined;
  /** True if the bridge has accepted a request of this caller. */
  readonly isAccepted: boolean;
}

const TOKEN_KEY = 'image-bridge.token';

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
  /** A counter that increases whenever the user asks to enter a token. */
  const asksForToken = signal(0);
  const probing = createProbing({
    onAlive() {
      // The liveness route is public, so its reply does not show whether the token is accepted.
      if (state.value === 'offline') reachable();
    },
    onUnreachable() {
      if (state.value !== 'unauthorized') state.value = 'offline';
    },
  });
  const { nextTry, probe, guard, reportUnreachable } = probing;

  function reachable(): void {
    probing.stop();
    const isBack = state.value === 'offline' || state.value === 'unauthorized';
    state.value = 'connected';
    if (isBack) returns.value += 1;
  }

  // The browser knows at once that its network has changed. A bridge on the same machine stays reachable.
  for (const event of ['offline', 'online']) window.addEventListener(event, probe);

  return {
    state: state as ReadonlySignal<ConnectionState>,
    token: token as ReadonlySignal<string | undefined>,
    caller: caller as ReadonlySignal<Caller | undefined>,
    returns: returns as ReadonlySignal<number>,
    /** While the bridge is unreachable, the time of the next liveness request in Unix milliseconds. */
    nextTry,
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
    guard,
    /** Checks now whether the bridge is reachable, without waiting for the next interval. */
    probe,

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
