import type { Usage, Warning } from '../../contract/reply/image-response.ts';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import { anySignal } from '../../platform/linked-signal.ts';
import type { Semaphore } from '../../platform/semaphore.ts';
import type { FinishedOutput, Unfinished } from '../finish/finish.ts';
import type { LedgerCall } from '../ledger/ledger-call.ts';
import type { AskPlan } from '../plan/ask-plan.ts';
import { toProviderRequest } from '../plan/provider-request.ts';
import type { OutputFailure } from './failure-policy.ts';
import type { OutputReport, PlannedWork } from './planned-work.ts';
import type { CallResult, RetriedCall } from './retried-call.ts';
import { stopError } from './stop-error.ts';

interface Deps {
  readonly clock: Clock;
  readonly retriedCall: RetriedCall;
  /** The slots for simultaneous calls of one provider, shared by all operations. */
  readonly slotsOf: (ask: AskPlan) => Semaphore;
  readonly metrics: Pick<Metrics, 'providerCallEnded'>;
}

/** What the calls of one fan-out have in common. */
export interface Siblings {
  /** Aborts at the deadline, and when the failure of a sibling ends all of them. */
  readonly signal: AbortSignal;
  /** Called at once, for each index at most once. */
  readonly onFailure: (failure: OutputFailure) => void;
}

/** What came of one call. */
export interface CallReport {
  readonly outputs: readonly FinishedOutput[];
  readonly usage: Usage | undefined;
  readonly warnings: readonly Warning[];
  /** On the monotonic clock. */
  readonly providerEndedMs: number;
}

export type FinishedCall = ReturnType<typeof createFinishedCall>;

/** Creates a function that runs one provider call with its slot and finishes its outputs. */
export function createFinishedCall(deps: Deps) {
  const { clock } = deps;
  const callInSlot = createCallInSlot(deps);

  /** Never rejects: each of `indices` ends as an output or as a failure. */
  return async function finishedCall(
    work: PlannedWork,
    indices: readonly number[],
    { signal, onFailure }: Siblings,
  ): Promise<CallReport> {
    const startedMs = clock.monotonicMs();
    const provider = work.plan.ask.provider.name;
    const ledger = work.ledger.beginCall(provider, indices);
    const fail = (index: number, thrown: unknown, failed: string | undefined) => {
      const failure = toBridgeError(thrown);
      const named = failed === undefined ? failure : failure.with({ provider: failed });
      const error = ledger.restricted(named, index);
      const generationMs = Math.round(clock.monotonicMs() - startedMs);
      onFailure({ index, error, generationMs });
    };
    const called = await callInSlot(work, indices, ledger, signal, (thrown, failed) => {
      for (const index of indices) fail(index, thrown, failed);
    });
    const providerEndedMs = clock.monotonicMs();
    if (!called) return { outputs: [], usage: undefined, warnings: [], providerEndedMs };
    const { result, generationMs } = called;
    const { usage } = result;
    const warnings = [...(result.warnings ?? []), ...retryWarnings(result)];
    const finished = await Promise.all(
      indices.map(async (index, position) => {
        const output = result.outputs[position];
        if (!output) return [];
        try {
          const unfinished = { index, output, generationMs, masked: work.masked };
          const finished = await finishOne(unfinished, work, signal);
          ledger.verified(index);
          if (work.publish) {
            await work.publish(finished, { usage, ...toReport(work, warnings, finished) });
            ledger.published(index);
          }
          return [finished];
        } catch (thrown) {
          ledger.discarded(index, toBridgeError(thrown));
          fail(index, thrown, provider);
          return [];
        }
      }),
    );
    return { outputs: finished.flat(), usage, warnings, providerEndedMs };
  };
}

function createCallInSlot({ clock, retriedCall, slotsOf, metrics }: Deps) {
  /** Undefined after a failure, which has been reported then. */
  return async function callInSlot(
    { plan: { ask, report }, inputs, deadline, noMoreCalls, threadId, onEvent }: PlannedWork,
    indices: readonly number[],
    ledger: LedgerCall,
    signal: AbortSignal,
    onFailure: (thrown: unknown, provider: string | undefined) => void,
  ): Promise<{ readonly result: CallResult; readonly generationMs: number } | undefined> {
    const { name } = ask.provider;
    const sending = anySignal(signal, noMoreCalls);
    const release = await takeSlot(slotsOf(ask), sending).catch((thrown) =>
      onFailure(thrown, name),
    );
    if (!release) return undefined;
    const startedMs = clock.monotonicMs();
    try {
      await ledger.open();
    } catch (refusal) {
      release();
      // A refusal of the state store must not count against the provider.
      onFailure(refusal, undefined);
      return undefined;
    }
    try {
      const result = await retriedCall({
        provider: ask.provider,
        request: toProviderRequest(ask, inputs, indices, threadId),
        requestId: report.record.request_id,
        deadline,
        signal,
        sending,
        onEvent,
        ledger,
      });
      checkCount(result.outputs.length, indices.length);
      return { result, generationMs: Math.round(clock.monotonicMs() - startedMs) };
    } catch (thrown) {
      // Before the slot is released: where this failure ends the siblings, none of them may start now.
      onFailure(thrown, name);
      return undefined;
    } finally {
      const durationMs = clock.monotonicMs() - startedMs;
      metrics.providerCallEnded({ provider: name, durationMs });
      release();
    }
  };
}

function toReport(
  { session }: PlannedWork,
  ofCall: readonly Warning[],
  { warnings }: FinishedOutput,
): Omit<OutputReport, 'usage'> {
  return { warnings: [...ofCall, ...warnings], ...(session ? { session } : {}) };
}

async function finishOne(
  unfinished: Unfinished,
  { plan, onEvent, finish }: PlannedWork,
  signal: AbortSignal,
): Promise<FinishedOutput> {
  onEvent({ type: 'progress', stage: 'verifying', index: unfinished.index });
  try {
    return await finish(unfinished, plan.finish, signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    throw stopError(signal, { sent: true, outcomeKnown: true, stopped: true });
  }
}

function retryWarnings({ tries }: CallResult): readonly Warning[] {
  return tries > 1 ? ['transient_provider_retry_used'] : [];
}

async function takeSlot(slots: Semaphore, signal: AbortSignal): Promise<() => void> {
  try {
    return await slots.acquire(signal);
  } catch {
    throw stopError(signal, { sent: false, outcomeKnown: true, stopped: true });
  }
}

function checkCount(given: number, asked: number): void {
  if (given === asked) return;
  throw new BridgeError('protocol', 'the provider gave another number of images than asked for', {
    details: { reason: 'wrong_count' },
  });
}
