import type { Deadline } from '../../admission/deadline.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Provider, ProviderRequest, ProviderResult } from '../../providers/provider-port.ts';
import type { GenerationEvent } from '../events/generation-event.ts';
import { retryDelayMs } from './retry.ts';
import { stopError } from './stop-error.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
  /** How long a provider may take to stop once it was told to. */
  readonly graceMs: number;
}

export interface ProviderCall {
  readonly provider: Provider;
  readonly request: ProviderRequest;
  readonly requestId: string;
  readonly deadline: Pick<Deadline, 'remainingMs'>;
  /** Aborts at the deadline, when the client leaves, and when a sibling's failure ends them all. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: GenerationEvent) => void;
}

export interface CallResult extends ProviderResult {
  readonly attempts: number;
}

export type CallProvider = ReturnType<typeof createCallProvider>;

/** What has become known of one call while it runs. */
interface Progress {
  /** By any of its tries. */
  dispatched: boolean;
  /** By the try that runs now. */
  dispatchedNow: boolean;
  outputBegan: boolean;
}

/** Runs one provider call to its end: repeats what may be repeated, leaves behind what does not stop. */
export function createCallProvider({ clock, ids, graceMs }: Deps) {
  /** Settles with the provider, or `graceMs` after the signal aborted if the provider has not settled by then. */
  async function tryOnce(
    call: ProviderCall,
    attempt: number,
    progress: Progress,
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
        // Whatever a provider tells of a call, it tells of one that is under way.
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
    grace.forget();
    if (!ended || ended.isLate) {
      // Result or failure: it was told to end before, and nobody waits for it any more.
      throw stopError(signal, {
        dispatched: progress.dispatched,
        outcomeKnown: ended !== undefined && !progress.dispatchedNow,
        stopped: ended !== undefined,
      });
    }
    if ('error' in ended) throw ended.error;
    return ended.result;
  }

  /** How long to wait before the next try; undefined when there must be none. */
  function waitMsAfter(
    error: BridgeError,
    { provider, signal, deadline }: ProviderCall,
    attempt: number,
    { outputBegan }: Progress,
  ): number | undefined {
    if (signal.aborted) return undefined;
    const remainingMs = deadline.remainingMs();
    const fraction = ids.newFraction();
    return retryDelayMs(error, provider.retry, { attempt, outputBegan, remainingMs, fraction });
  }

  /** Rejects with a `BridgeError` that names the provider and how often it was tried. */
  return async function callProvider(call: ProviderCall): Promise<CallResult> {
    const { provider, signal } = call;
    const progress: Progress = { dispatched: false, dispatchedNow: false, outputBegan: false };
    for (let attempt = 1; ; attempt += 1) {
      const facts = { provider: provider.name, details: { provider_attempts: attempt } };
      try {
        return { ...(await tryOnce(call, attempt, progress)), attempts: attempt };
      } catch (thrown) {
        const error = toBridgeError(thrown).with(facts);
        const waitMs = waitMsAfter(error, call, attempt, progress);
        if (waitMs === undefined) throw error;
        await sleep(clock, waitMs, signal).catch(() => {
          const { dispatched } = progress;
          throw stopError(signal, { dispatched, outcomeKnown: true, stopped: true }).with(facts);
        });
      }
    }
  };
}

/** `over` resolves with nothing once the signal has been aborted for `graceMs`. */
function graceAfterAbort(clock: Clock, signal: AbortSignal, graceMs: number) {
  let cancel = () => {};
  let start = () => {};
  const over = new Promise<undefined>((resolve) => {
    start = () => {
      cancel = clock.after(graceMs, () => resolve(undefined));
    };
    if (signal.aborted) start();
    else signal.addEventListener('abort', start, { once: true });
  });
  return {
    over,
    forget() {
      cancel();
      signal.removeEventListener('abort', start);
    },
  };
}
