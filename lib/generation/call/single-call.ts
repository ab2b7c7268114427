import type { Clock } from '../../platform/clock.ts';
import type { ProviderResult } from '../../providers/provider-port.ts';
import type { CallProgress, ProviderCall } from './provider-call.ts';
import { stopError } from './stop-error.ts';

interface Deps {
  readonly clock: Clock;
  /** How long a provider may take to stop after its signal has aborted. */
  readonly graceMs: number;
}

export type SingleCall = ReturnType<typeof createSingleCall>;

/** Calls a provider once. */
export function createSingleCall({ clock, graceMs }: Deps) {
  /** Settles with the provider, or `graceMs` after the signal aborted if the provider has not settled by then. */
  return async function singleCall(
    call: ProviderCall,
    attempt: number,
    progress: CallProgress,
  ): Promise<ProviderResult> {
    const { provider, request, requestId, signal } = call;
    const { dispatched } = progress;
    if (signal.aborted) throw stopError(signal, { dispatched, outcomeKnown: true, stopped: true });
    let isOver = false;
    progress.dispatchedNow = false;
    const running = provider.execute(request, {
      requestId,
      attempt,
      signal,
      onEvent(event) {
        if (isOver) return;
        // A provider sends no event of a call that was not dispatched.
        progress.dispatched = true;
        progress.dispatchedNow = true;
        if (event.type === 'partial_image') progress.outputBegan = true;
        call.onEvent(event);
      },
    });
    const ending = running.then(
      (result) => ({ result, isLate: signal.aborted }),
      (error: unknown) => ({ error, isLate: signal.aborted }),
    );
    const grace = graceAfterAbort(clock, signal, graceMs);
    const ended = await Promise.race([ending, grace.over]);
    isOver = true;
    grace.cancel();
    if (!ended || ended.isLate) {
      // Result or failure: it was stopped before, and nothing waits for it any more.
      throw stopError(signal, {
        dispatched: progress.dispatched,
        outcomeKnown: ended !== undefined && !progress.dispatchedNow,
        stopped: ended !== undefined,
      });
    }
    if ('error' in ended) throw ended.error;
    return ended.result;
  };
}

/** `over` resolves with undefined once the signal has been aborted for `graceMs`. */
function graceAfterAbort(clock: Clock, signal: AbortSignal, graceMs: number) {
  let cancelTimer = () => {};
  let start = () => {};
  const over = new Promise<undefined>((resolve) => {
    start = () => {
      cancelTimer = clock.after(graceMs, () => resolve(undefined));
    };
    if (signal.aborted) start();
    else signal.addEventListener('abort', start, { once: true });
  });
  return {
    over,
    cancel() {
      cancelTimer();
      signal.removeEventListener('abort', start);
    },
  };
}
