import type { Deadline } from '../../admission/deadline.ts';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Provider, ProviderRequest, ProviderResult } from '../../providers/provider-port.ts';
import type { GenerationEvent } from '../generation-events.ts';
import type { LedgerCall } from '../ledger/ledger.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
  /** The maximum time, in milliseconds, that a provider may take to stop after its signal has aborted. */
  readonly graceMs: number;
}

/** One call of a provider, which may take several tries. */
export interface ProviderCall {
  readonly provider: Provider;
  readonly request: ProviderRequest;
  readonly requestId: string;
  readonly deadline: Pick<Deadline, 'remainingMs'>;
  /** Aborts at the deadline, when the client disconnects, and when the failure of a sibling ends all calls. */
  readonly signal: AbortSignal;
  /** Aborts with `signal` or earlier. Nothing is sent to the provider after this signal has aborted. */
  readonly sending: AbortSignal;
  readonly onEvent: (event: GenerationEvent) => void;
  /** The ledger rows of this call. */
  readonly ledger: LedgerCall;
}

export interface CallResult extends ProviderResult {
  /** The number of tries, 1 or more. */
  readonly tries: number;
}

/** The maximum wait before a retry. If a retry would have to wait longer, the call fails and the client decides when to retry. */
const LONGEST_WAIT_MS = 10_000;

export type CallProvider = ReturnType<typeof createCallProvider>;

/** Calls a provider and retries transient failures. */
export function createCallProvider({ clock, ids, graceMs }: Deps) {
  /** Rejects with a `BridgeError` that names the provider and the number of tries. */
  return async function callProvider(call: ProviderCall): Promise<CallResult> {
    const { provider, sending, deadline, ledger } = call;
    for (let attempt = 1; ; attempt += 1) {
      const facts = { provider: provider.name, details: { provider_attempts: attempt } };
      try {
        const { ticket, ...unsent } = call.request;
        // After a failed task, the next try submits a new task.
        const request = attempt === 1 ? call.request : unsent;
        return {
          ...(await tryOnce({ ...call, request }, attempt, { clock, graceMs })),
          tries: attempt,
        };
      } catch (thrown) {
        const error = toBridgeError(thrown).with(facts);
        ledger.failed(error);
        if (sending.aborted || !ledger.mayRepeat()) throw error;
        const state = { attempt, remainingMs: deadline.remainingMs(), fraction: ids.newFraction() };
        const waitMs = retryDelayMs(error, provider.retry, state);
        if (waitMs === undefined) throw error;
        await sleep(clock, waitMs, sending).catch(() => {
          throw stopError(sending, { sent: ledger.wasSent() }).with(facts);
        });
        // Another process must not continue the failed task while this process submits a new task.
        await ledger.withdrawTicket().catch(() => {
          throw error;
        });
      }
    }
  };
}

/** Runs one try. Settles when the provider settles, or at the latest `graceMs` after the signal has aborted. */
async function tryOnce(
  call: ProviderCall,
  attempt: number,
  { clock, graceMs }: Pick<Deps, 'clock' | 'graceMs'>,
): Promise<ProviderResult> {
  const { provider, request, requestId, signal, deadline, ledger } = call;
  const isContinued = request.ticket !== undefined;
  // A call that continues sends nothing, so only `signal` stops the call.
  const stop = isContinued ? signal : call.sending;
  if (stop.aborted) throw stopError(stop, { sent: ledger.wasSent(), outcomeKnown: !isContinued });
  let isOver = false;
  ledger.beginTry();
  if (isContinued) ledger.sent();
  const running = provider.execute(request, {
    requestId,
    attempt,
    signal,
    remainingMs: deadline.remainingMs,
    onEvent(event) {
      if (isOver) return;
      // A provider reports events only after it has dispatched the call.
      if (!ledger.isSent()) ledger.sent();
      if (event.type === 'partial_image') ledger.outputBegan();
      call.onEvent(event);
    },
    accepted: (ticket) => ledger.accepted({ model: request.model, ticket }),
    billedAs(id) {
      if (!isOver) ledger.billedAs(id);
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
    // The call was stopped, so its images are not delivered. The images are paid for nevertheless.
    const result = ended && 'result' in ended ? ended.result : undefined;
    const isWithdrawn = ended !== undefined && 'error' in ended && isWithdrawal(ended.error);
    if (result) ledger.repliedLate(result.outputs.length, result);
    throw stopError(signal, {
      sent: ledger.wasSent(),
      outcomeKnown:
        result !== undefined || isWithdrawn || (ended !== undefined && !ledger.isSent()),
      stopped: ended !== undefined,
      isWithdrawn,
    });
  }
  if ('error' in ended) throw ended.error;
  ledger.replied(ended.result.outputs.length, ended.result);
  return ended.result;
}

/** Returns true for the error of a stopped call that the provider had not begun. */
function isWithdrawal(error: unknown): boolean {
  return error instanceof BridgeError && error.code === 'cancelled' && error.effect === 'not_begun';
}

/** Watches the signal. `over` resolves `graceMs` milliseconds after the signal has aborted. */
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

interface RetryState {
  /** The number of tries so far. */
  readonly attempt: number;
  readonly remainingMs: number;
  /** A random number, at least 0 and below 1. */
  readonly fraction: number;
}

/**
 * Returns the wait before a failed call is retried, in milliseconds. Returns undefined if the provider does not mark the failure
 * as transient, if no tries are left, or if the wait is too long or would not end before the deadline.
 */
export function retryDelayMs(
  error: BridgeError,
  policy: { readonly attempts: number; readonly backoffMs: number },
  { attempt, remainingMs, fraction }: RetryState,
): number | undefined {
  if (!error.transient || attempt >= policy.attempts) return undefined;
  const retryAfterMs = error.details['retry_after_ms'];
  const jitter = 0.8 + 0.4 * fraction;
  const waitMs =
    typeof retryAfterMs === 'number' ? retryAfterMs : policy.backoffMs * attempt * jitter;
  return waitMs > LONGEST_WAIT_MS || waitMs >= remainingMs ? undefined : waitMs;
}

/** The state of a provider call at the time when its signal ends the call. */
interface StoppedCall {
  /** True if this try or an earlier try was sent. */
  readonly sent: boolean;
  /** False if the call was sent and did not end. */
  readonly outcomeKnown?: boolean;
  /** False if a part of the call may still be running. */
  readonly stopped?: boolean;
  /** True if the provider says that it had not begun the call. */
  readonly isWithdrawn?: boolean;
}

/** Returns the failure of a call that was ended by the deadline, by the client or by the failure of a sibling. */
export function stopError(
  signal: AbortSignal,
  { sent, outcomeKnown = true, stopped = true, isWithdrawn = false }: StoppedCall,
): BridgeError {
  const reason = toBridgeError(signal.reason);
  return reason.with({
    retryable: reason.retryable && !sent && outcomeKnown,
    ...(isWithdrawn ? { effect: 'not_begun' } : {}),
    details: { ...(outcomeKnown ? {} : { outcome: 'unknown' }), provider_stopped: stopped },
  });
}
