import { effect } from '@preact/signals';
import { type Api, joined } from '../api/api.ts';
import type { Connection } from './connection.ts';
import { pause } from './pause.ts';

/** The first and the longest pause between two attempts in milliseconds. The pause doubles with each attempt. */
const FIRST_MS = 2000;
const LONGEST_MS = 60_000;

interface Deps {
  readonly api: Pick<Api, 'GET'>;
  readonly connection: Pick<Connection, 'state' | 'token' | 'caller'>;
  /** The document, which reports when the user looks at the page again. */
  readonly page: Pick<Document, 'hidden' | 'addEventListener'>;
}

/**
 * Asks again with the token of the tab after the bridge has rejected the token, because a token that was disabled may be enabled again.
 * A token that the user has typed and that the bridge has never accepted is not sent again.
 */
export function createTokenRetry({ api, connection, page }: Deps) {
  /** Reads something small that requires a token. The connection learns the outcome from the reply. */
  const run = joined(async () => {
    await api.GET('/v1/queue').catch(() => {});
  });

  const isWorthTrying = () => {
    const token = connection.token.value;
    const isRejected = connection.state.value === 'unauthorized' && token !== undefined;
    return isRejected && connection.caller.value?.token === token;
  };

  effect(() => {
    if (!isWorthTrying()) return;
    const over = new AbortController();
    const { signal: ended } = over;
    void repeat(run, page, ended);
    page.addEventListener('visibilitychange', () => !page.hidden && void run(), { signal: ended });
    return () => over.abort();
  });

  return {
    /** True if the rejected token belongs to the user whose data the page shows, so that the page asks again by itself. */
    get isWorthTrying(): boolean {
      return isWorthTrying();
    },
    /** Asks again now. Resolves after the reply. */
    run,
  };
}

/** Calls `run` with growing pauses while the user looks at the page, until the signal aborts. */
async function repeat(
  run: () => Promise<void>,
  page: Pick<Document, 'hidden'>,
  ended: AbortSignal,
): Promise<void> {
  for (let wait = FIRST_MS; ; wait = Math.min(wait * 2, LONGEST_MS)) {
    await pause(wait, ended);
    if (ended.aborted) return;
    if (!page.hidden) await run();
  }
}
