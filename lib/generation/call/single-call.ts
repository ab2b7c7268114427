import type { Clock } from '../../platform/clock.ts';
import type { ProviderResult } from '../../providers/provider-port.ts';
import type { ProviderCall } from './provider-call.ts';
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
  return async function singleCall(call: ProviderCall, attempt: number): Promise<ProviderResult> {
    const { provider, request, requestId, signal, sending, ledger } = call;
    if (sending.aborted) {
      throw stopError(sending, { sent: ledger.wasSent(), outcomeKnown: true, stopped: true });
    }
    let isOver = false;
    ledger.beginTry();
    const running = provider.execute(request, {
      requestId,
      attempt,
      signal,
      onEvent(event) {
        if (isOver) return;
        // A provider sends no event of a call that was not dispatched.
        if (!ledger.isSent()) ledger.sent();
        if (event.type === 'partial_image') ledger.outputBegan();
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
      // Result or failure: the call was stopped before, and nothing waits for its images any more. They are paid for.
      const result = ended && 'result' in ended ? ended.result : undefined;
      if (result) ledger.repliedLate(result.outputs.length, result.usage);
      throw stopError(signal, {
        sent: ledger.wasSent(),
        outcomeKnown: result !== undefined || (ended !== undefined && !ledger.isSent()),
        stopped: ended !== undefined,
      });
    }
    if ('error' in ended) throw ended.error;
    ledger.replied(ended.result.outputs.length, ended.result.usage);
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
