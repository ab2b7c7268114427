import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError } from '../api/api.ts';
import type { Toasts } from '../shell/toasts.ts';
import { text } from '../text/text.ts';
import type { Connection } from './connection.ts';
import { pause } from './pause.ts';

interface Deps {
  readonly connection: Pick<Connection, 'returns' | 'token'>;
  readonly toasts: Pick<Toasts, 'show' | 'close'>;
}

export type Resending = ReturnType<typeof createResending>;

/** Sends a request until the bridge answers. The request must be safe to repeat. */
export type UntilAnswered = <T>(send: () => Promise<T>) => Promise<T>;

/** The largest number of attempts, because the bridge may end the connection of each attempt. */
const MOST_ATTEMPTS = 6;
/**
 * The pause before the next attempt if a gateway replied that it cannot reach the bridge, in milliseconds. No event reports
 * when the gateway can reach the bridge again.
 */
const GATEWAY_MS = 3000;

/** Sends requests without a reply again when the bridge is reachable again. One message reports all of these requests. */
export function createResending({ connection, toasts }: Deps) {
  const pending = signal(0);
  let toast: number | undefined;

  function begin(): void {
    pending.value += 1;
    toast ??= toasts.show({ kind: 'failed', text: text('resend'), detail: text('resend.text') });
  }

  function end(): void {
    pending.value -= 1;
    if (pending.peek() > 0 || toast === undefined) return;
    toasts.close(toast);
    toast = undefined;
  }

  /** Throws the error of the last attempt if the bridge rejects the request or the token was replaced. */
  async function untilAnswered<T>(send: () => Promise<T>): Promise<T> {
    const token = connection.token.peek();
    let isPending = false;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const returns = connection.returns.peek();
        try {
          return await send();
        } catch (thrown) {
          const error = ApiError.of(thrown);
          if (!isUnanswered(error) || attempt === MOST_ATTEMPTS) throw thrown;
          if (!isPending) begin();
          isPending = true;
          const isGateway = error.code === 'unreadable';
          await (isGateway ? pause(GATEWAY_MS) : reachableAfter(connection, returns));
          // The request belongs to the person who sent it.
          if (connection.token.peek() !== token) throw thrown;
        }
      }
    } finally {
      if (isPending) end();
    }
  }

  return {
    /** The number of requests that got no reply and are sent again. */
    pending: pending as ReadonlySignal<number>,
    untilAnswered,
  };
}

/** Returns true if the bridge may or may not have received the request. */
function isUnanswered({ code, status }: ApiError): boolean {
  return code === 'unreachable' || (code === 'unreadable' && status >= 502 && status <= 504);
}

/** Resolves when the bridge has become reachable again since the number of its returns was read. */
function reachableAfter({ returns }: Deps['connection'], before: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = returns.subscribe((now) => {
      if (now === before) return;
      // The subscription does not exist yet if the value has changed before.
      queueMicrotask(() => stop());
      resolve();
    });
  });
}
