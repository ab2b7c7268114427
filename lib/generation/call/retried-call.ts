import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { ProviderResult } from '../../providers/provider-port.ts';
import type { ProviderCall } from './provider-call.ts';
import { retryDelayMs } from './retry.ts';
import type { SingleCall } from './single-call.ts';
import { stopError } from './stop-error.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
  readonly singleCall: SingleCall;
}

export interface CallResult extends ProviderResult {
  readonly tries: number;
}

export type RetriedCall = ReturnType<typeof createRetriedCall>;

/** One provider call with its retries. */
export function createRetriedCall({ clock, ids, singleCall }: Deps) {
  /** How long to wait before the next try; undefined when there must be none. */
  function waitMsAfter(
    error: BridgeError,
    { provider, sending, deadline, ledger }: ProviderCall,
    attempt: number,
  ): number | undefined {
    if (sending.aborted || !ledger.mayRepeat()) return undefined;
    const remainingMs = deadline.remainingMs();
    const fraction = ids.newFraction();
    return retryDelayMs(error, provider.retry, { attempt, remainingMs, fraction });
  }

  /** Rejects with a `BridgeError` that names the provider and how often it was tried. */
  return async function retriedCall(call: ProviderCall): Promise<CallResult> {
    const { provider, sending, ledger } = call;
    for (let attempt = 1; ; attempt += 1) {
      const facts = { provider: provider.name, details: { provider_attempts: attempt } };
      try {
        return { ...(await singleCall(call, attempt)), tries: attempt };
      } catch (thrown) {
        const error = toBridgeError(thrown).with(facts);
        ledger.failed(error);
        const waitMs = waitMsAfter(error, call, attempt);
        if (waitMs === undefined) throw error;
        await sleep(clock, waitMs, sending).catch(() => {
          const sent = ledger.wasSent();
          throw stopError(sending, { sent, outcomeKnown: true, stopped: true }).with(facts);
        });
      }
    }
  };
}
