import type { Deadline } from '../../admission/deadline.ts';
import type { SessionReport, Usage, Warning } from '../../contract/reply/image-response.ts';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import { anySignal, linkSignal } from '../../platform/linked-signal.ts';
import { createSemaphore, type Semaphore } from '../../platform/semaphore.ts';
import type { Finish, FinishedOutput, Unfinished } from '../finish/finish.ts';
import { type GenerationEvent, limitPartials } from '../generation-events.ts';
import type { Ledger, LedgerCall } from '../ledger/ledger.ts';
import { type AskPlan, type Plan, toProviderRequest } from '../plan/plan.ts';
import { type CallProvider, type CallResult, stopError } from './call-provider.ts';
import { addUsage, type OutputFailure, requestFailure } from './outcome.ts';

interface Deps {
  readonly clock: Clock;
  readonly callProvider: CallProvider;
  readonly metrics: Pick<Metrics, 'providerCallEnded'>;
}

/** The facts of a provider call that are known when one of its outputs is finished. */
export interface OutputReport {
  readonly usage: Usage | undefined;
  readonly warnings: readonly Warning[];
  /** Absent for an isolated session. */
  readonly session?: SessionReport;
}

/** A plan and everything that its calls need. */
export interface PlannedWork {
  readonly plan: Plan;
  readonly inputs: InputSet<VerifiedImage>;
  /** The source and the mask that are composited with each output. Undefined unless the mask is emulated. */
  readonly masked?: MaskedSource | undefined;
  readonly deadline: Deadline;
  /** Aborts when no further call may be sent. Calls in flight continue. */
  readonly noMoreCalls: AbortSignal | undefined;
  /** The thread of the session. Absent for an isolated session. */
  readonly threadId?: string;
  readonly onEvent: (event: GenerationEvent) => void;
  readonly ledger: Ledger;
  /** Verifies an output and converts it as the request asks, in the turns of the caller's scope. */
  readonly finish: Finish;
  /** The report of the session. Absent for an isolated session. */
  readonly session?: SessionReport;
  /** Publishes an output as soon as it is finished. A rejection fails the output. Undefined if outputs are published later. */
  readonly publish?: ((output: FinishedOutput, report: OutputReport) => Promise<void>) | undefined;
}

export interface FanOutResult {
  /** Sorted by index, ascending. */
  readonly outputs: readonly FinishedOutput[];
  /** Sorted by index, ascending. Empty under `fail_fast`. */
  readonly failures: readonly OutputFailure[];
  readonly usage: Usage | undefined;
  /** The warnings of all calls and outputs, unordered; a warning may be repeated. */
  readonly warnings: readonly Warning[];
  /** The end of the last provider call, on the monotonic clock. */
  readonly providerEndedMs: number;
}

export type FanOut = ReturnType<typeof createFanOut>;

/** Splits the outputs of a plan into provider calls, and collects their results in order. */
export function createFanOut(deps: Deps) {
  const { clock } = deps;
  const finishedCall = createFinishedCall(deps);

  /** Rejects with the first failure under `fail_fast`, and if every output failed. */
  return async function fanOut(work: PlannedWork): Promise<FanOutResult> {
    const { ask } = work.plan;
    const startedMs = clock.monotonicMs();
    const failures: OutputFailure[] = [];
    const siblings = linkSignal(work.deadline.signal);
    const onEvent = limitPartials(ask.partialImages, work.onEvent, work.masked);

    const onFailure = (failure: OutputFailure) => {
      failures.push(failure);
      // After `noMoreCalls`, outputs fail because they are not sent. That must not end the calls in flight.
      if (ask.isFailFast && !work.noMoreCalls?.aborted)
        siblings.abort(new BridgeError('cancelled', 'another output has failed'));
    };
    const { signal } = siblings;
    const run = (indices: readonly number[]) =>
      finishedCall({ ...work, onEvent }, indices, { signal, onFailure });

    const reports = ask.isSequential
      ? await oneByOne(ask.calls, run)
      : await Promise.all(ask.calls.map(run));
    siblings.end();

    const outputs = reports.flatMap((report) => report.outputs);
    const error = requestFailure(failures, {
      isFailFast: ask.isFailFast,
      succeeded: outputs.length,
      signal: work.deadline.signal,
    });
    if (error) throw work.ledger.restrictedOnRoute(error);
    return {
      outputs: outputs.sort(byIndex),
      failures: failures.sort(byIndex),
      usage: reports.reduce<Usage | undefined>((sum, { usage }) => addUsage(sum, usage), undefined),
      warnings: [
        ...reports.flatMap(({ warnings }) => warnings),
        ...outputs.flatMap(({ warnings }) => warnings),
        ...(failures.length > 0 ? (['partial_output_failure'] as const) : []),
      ],
      providerEndedMs: Math.max(startedMs, ...reports.map((report) => report.providerEndedMs)),
    };
  };
}

async function oneByOne(
  calls: readonly (readonly number[])[],
  run: (indices: readonly number[]) => Promise<CallReport>,
): Promise<CallReport[]> {
  const reports: CallReport[] = [];
  // Once the signal has aborted, each further call ends before it reaches the provider.
  for (const indices of calls) reports.push(await run(indices));
  return reports;
}

function byIndex(a: { readonly index: number }, b: { readonly index: number }): number {
  return a.index - b.index;
}

/** The parts that the calls of one fan-out share. */
interface Siblings {
  /** Aborts at the deadline, and when the failure of a sibling ends all calls. */
  readonly signal: AbortSignal;
  /** Called as soon as an output fails, at most once for each index. */
  readonly onFailure: (failure: OutputFailure) => void;
}

/** The result of one provider call. */
interface CallReport {
  readonly outputs: readonly FinishedOutput[];
  readonly usage: Usage | undefined;
  readonly warnings: readonly Warning[];
  /** On the monotonic clock. */
  readonly providerEndedMs: number;
}

/** Creates a function that runs one provider call in its slot and finishes its outputs. */
function createFinishedCall(deps: Deps) {
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

function createCallInSlot({ clock, callProvider, metrics }: Deps) {
  const slotsOf = createProviderSlots();

  /** Resolves with undefined after a failure, which `onFailure` has reported. */
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
      // The error names no provider: an error of the state store must not count against the provider.
      onFailure(refusal, undefined);
      return undefined;
    }
    try {
      const result = await callProvider({
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
      // The failure is reported before the slot is released, so that no sibling that it ends can start.
      onFailure(thrown, name);
      return undefined;
    } finally {
      const durationMs = clock.monotonicMs() - startedMs;
      metrics.providerCallEnded({ provider: name, durationMs });
      release();
    }
  };
}

/** Creates the slots for simultaneous calls: one semaphore for each provider, shared by all operations and models. */
function createProviderSlots(): (ask: AskPlan) => Semaphore {
  const byProvider = new Map<string, Semaphore>();
  return ({ provider, maxParallelCalls }) => {
    const known = byProvider.get(provider.name);
    if (known) return known;
    const created = createSemaphore(maxParallelCalls);
    byProvider.set(provider.name, created);
    return created;
  };
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
  throw new BridgeError('protocol', 'the provider returned a wrong number of images', {
    details: { reason: 'wrong_count' },
  });
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

function toReport(
  { session }: PlannedWork,
  ofCall: readonly Warning[],
  { warnings }: FinishedOutput,
): Omit<OutputReport, 'usage'> {
  return { warnings: [...ofCall, ...warnings], ...(session ? { session } : {}) };
}
