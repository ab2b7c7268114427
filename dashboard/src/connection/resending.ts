import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { ApiError } from '../api/api.ts';
import type { Toasts } from '../shell/toasts.ts';
import { type TextKey, text } from '../text/text.ts';
import type { Connection } from './connection.ts';
import { pause } from './pause.ts';

interface Deps {
  readonly connection: Pick<Connection, 'returns' | 'token' | 'caller'>;
  readonly toasts: Pick<Toasts, 'show' | 'close' | 'list'>;
}

export type Resending = ReturnType<typeof createResending>;

/** Sends a request until the bridge answers. The request must be safe to repeat. */
export type UntilAnswered = <T>(send: () => Promise<T>) => Promise<T>;

/** The largest number of attempts, because the bridge may end the connection of each attempt. */
const MAX_ATTEMPTS = 6;
/**
 * The pause before the next attempt if a gateway replied that it cannot reach the bridge, in milliseconds. No event reports
 * when the gateway can reach the bridge again.
 */
const GATEWAY_MS = 3000;

/** Sends requests without a reply again when the bridge is reachable again. One message reports all of these requests. */
export function createResending({ connection, toasts }: Deps) {
  const lost = createWait(toasts, 'resend');
  const refused = createWait(toasts, 'resend.token');
  const askAgain = createQuestion(connection, toasts);

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
          if (!isUnanswered(error) || attempt === MAX_ATTEMPTS) throw thrown;
          if (!isPending) lost.begin();
          isPending = true;
          const isGateway = error.code === 'unreadable';
          await (isGateway ? pause(GATEWAY_MS) : reachableAfter(connection, returns));
          // The request belongs to the person who sent it.
          if (connection.token.peek() !== token) throw thrown;
        }
      }
    } finally {
      if (isPending) lost.end();
    }
  }

  /**
   * Sends a change that costs nothing. If the bridge rejects a token that it had accepted, the change is sent again when the token is
   * accepted again. After another token, the user is asked first. Throws the error of the bridge if the change is not sent again.
   */
  async function untilAccepted<T>(send: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const token = connection.token.peek();
      const caller = connection.caller.peek();
      const wasAccepted = caller?.isAccepted === true && caller.token === token;
      const returns = connection.returns.peek();
      try {
        return await untilAnswered(send);
      } catch (thrown) {
        const { status } = ApiError.of(thrown);
        if (status !== 401 || !wasAccepted || attempt === MAX_ATTEMPTS) throw thrown;
        refused.begin();
        await reachableAfter(connection, returns).finally(refused.end);
        if (connection.token.peek() !== token && !(await askAgain())) throw thrown;
      }
    }
  }

  return {
    /** The number of requests that got no reply and are sent again. */
    pending: lost.count,
    untilAnswered,
    untilAccepted,
  };
}

/** Counts the requests that wait for the same reason, and shows one message about them. */
function createWait(toasts: Deps['toasts'], key: Extract<TextKey, 'resend' | 'resend.token'>) {
  const count = signal(0);
  let toast: number | undefined;
  return {
    count: count as ReadonlySignal<number>,
    begin(): void {
      count.value += 1;
      toast ??= toasts.show({ kind: 'failed', text: text(key), detail: text(`${key}.text`) });
    },
    end(): void {
      count.value -= 1;
      if (count.peek() > 0 || toast === undefined) return;
      toasts.close(toast);
      toast = undefined;
    },
  };
}

/**
 * Creates the function that asks the user whether the changes that were rejected with the former token are to be made now. The function
 * waits until the bridge has accepted the new token. All waiting changes share one question. Resolves with false if the message is
 * closed or the token is forgotten.
 */
function createQuestion({ token, caller }: Deps['connection'], toasts: Deps['toasts']) {
  let asked: Promise<boolean> | undefined;

  function isAccepted(): Promise<boolean> {
    return firstOf(
      computed(() => {
        if (token.value === undefined) return false;
        return caller.value?.isAccepted && caller.value.token === token.value ? true : undefined;
      }),
    );
  }

  async function answer(): Promise<boolean> {
    let isYes = false;
    const toast = toasts.show({
      kind: 'failed',
      text: text('resend.former'),
      detail: text('resend.former.text'),
      action: {
        label: text('resend.former.again'),
        run() {
          isYes = true;
          toasts.close(toast);
        },
      },
    });
    // The list of messages may close a message before its action runs.
    await firstOf(
      computed(() => (toasts.list.value.some(({ id }) => id === toast) ? undefined : true)),
    );
    return isYes;
  }

  return (): Promise<boolean> => {
    asked ??= isAccepted()
      .then((isKnown) => isKnown && answer())
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
}

/** Resolves with the first value that is not undefined. */
function firstOf<T>(source: ReadonlySignal<T | undefined>): Promise<T> {
  return new Promise((resolve) => {
    const stop = source.subscribe((value) => {
      if (value === undefined) return;
      // The subscription does not exist yet if the value is known at once.
      queueMicrotask(() => stop());
      resolve(value);
    });
  });
}

/** Returns true if the bridge may or may not have received the request. */
function isUnanswered({ code, status }: ApiError): boolean {
  return code === 'unreachable' || (code === 'unreadable' && status >= 502 && status <= 504);
}

/** Resolves when the bridge has become reachable again, or the token was replaced, since the number of its returns was read. */
function reachableAfter({ returns }: Deps['connection'], before: number): Promise<unknown> {
  return firstOf(computed(() => (returns.value === before ? undefined : true)));
}
