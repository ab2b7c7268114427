import type { Deadline } from '../admission/deadline.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Provider, ProviderRequest, ProviderResult } from '../providers/provider-port.ts';
import type { GenerationEvent } from './generation-event.ts';
import { retryDelayMs } from './retry.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
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

/** What has become known of one try while it runs. */
interface Progress {
  dispatched: boolean;
  outputBegan: boolean;
}

/** Runs one provider call to its end: repeats what may be repeated, leaves behind what does not stop. */
export function createCallProvider({ clock, ids, graceMs }: Deps) {
  /** Settles with the provider, or `graceMs` after the signal aborted if the provider has not settled by then. */
  async function tryOnce(call: ProviderCall, attempt: number, progress: Progress) {
    const { provider, request, requestId, signal } = call;
    let over = false;
    const running = provider.execute(request, {
      requestId,
      attempt,
      signal,
      onEvent(event) {
        if (over) return;
        if (event.type === 'partial_image') progress.outputBegan = true;
        else if (event.stage === 'dispatched') progress.dispatched = true;
        call.onEvent(event);
      },
    });
    // What a provider that was left behind still says is nobody's business any more.
    running.catch(() => {});
    const patience = endOfPatience(clock, signal, graceMs);
    try {
      const result = await Promise.race([running, patience.over]);
      if (result) return result;
      throw stopped(signal, progress, false);
    } catch (thrown) {
      // A provider that stops with our reason, or with any noise of its own, was stopped by us.
      if (signal.aborted && thrown !== undefined && !isLeft(thrown)) {
        throw stopped(signal, progress, true);
      }
      throw toBridgeError(thrown);
    } finally {
      over = true;
      patience.forget();
    }
  }

  /** Rejects with a `BridgeError` that names the provider and how often it was tried. */
  return async function callProvider(call: ProviderCall): Promise<CallResult> {
    const { provider, signal, deadline } = call;
    for (let attempt = 1; ; attempt += 1) {
      const progress: Progress = { dispatched: false, outputBegan: false };
      try {
        return { ...(await tryOnce(call, attempt, progress)), attempts: attempt };
      } catch (thrown) {
        const error = toBridgeError(thrown);
        const waitMs = retryDelayMs(error, provider.retry, {
          attempt,
          outputBegan: progress.outputBegan,
          remainingMs: deadline.remainingMs(),
          fraction: ids.newFraction(),
        });
        const details = { provider_attempts: attempt };
        const final = error.with({ provider: provider.name, details });
        if (waitMs === undefined || signal.aborted) throw final;
        await sleep(clock, waitMs, signal).catch(() => {
          throw final;
        });
      }
    }
  };
}

/** Resolves with nothing once the signal has been aborted for `graceMs`. */
function endOfPatience(clock: Clock, signal: AbortSignal, graceMs: number) {
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

/** The failure of a call that we ended ourselves: once it was dispatched, nobody knows whether it had an effect. */
function stopped(signal: AbortSignal, progress: Progress, confirmed: boolean): BridgeError {
  const reason = toBridgeError(signal.reason);
  if (!progress.dispatched && confirmed) {
    return reason.with({
      retryable: reason.code === 'timeout',
      details: { provider_stopped: true },
    });
  }
  const details = { outcome: 'unknown', provider_stopped: confirmed };
  return reason.with({ retryable: false, details });
}

function isLeft(thrown: unknown): boolean {
  return thrown instanceof BridgeError && thrown.details['provider_stopped'] === false;
}
