import type { Deadline } from '../../admission/deadline.ts';
import type { Permits } from '../../admission/permits-port.ts';
import { createSharedSlots, type SharedSlots } from '../../admission/shared-slots.ts';
import { sumCosts } from '../../contract/reply/cost.ts';
import type { Usage } from '../../contract/reply/image-response.ts';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { interruption } from '../../errors/interruption.ts';
import type { MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import { anySignal, linkSignal } from '../../platform/linked-signal.ts';
import type { MeasuredCall, PriceList } from '../../prices/price-list.ts';
import type { Provider } from '../../providers/provider-port.ts';
import type { EarlierWork } from '../earlier-work-port.ts';
import type { Finish, FinishedOutput, Unfinished } from '../finish/finish.ts';
import { type GenerationEvent, limitPartials } from '../generation-events.ts';
import type { Ledger, LedgerCall } from '../ledger/ledger.ts';
import { type Plan, toProviderRequest } from '../plan/plan.ts';
import { plannedSpend } from '../plan/planned-spend.ts';
import type { SessionTurn } from '../session-turns-port.ts';
import type { Times } from '../times.ts';
import { type CallProvider, type CallResult, stopError } from './call-provider.ts';
import { addUsage, type OutputFailure, type RouteResult, requestFailure } from './outcome.ts';
import { type RouteCall, toRouteCalls } from './route-calls.ts';

interface Deps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly callProvider: CallProvider;
  readonly metrics: Pick<Metrics, 'providerCallEnded'>;
  readonly prices: Pick<PriceList, 'costOf' | 'plan'>;
  /** The slots of all replicas. Undefined if the number of calls is limited for this process alone. */
  readonly permits?: Permits | undefined;
}

/** The plan of one route, and everything that its calls need. */
export interface RouteWork {
  readonly plan: Plan;
  readonly inputs: InputSet<VerifiedImage>;
  /** The source and the mask that are composited with each output. Undefined unless the mask is emulated. */
  readonly masked?: MaskedSource | undefined;
  /** The work of an ended process on this route. */
  readonly earlier?: EarlierWork | undefined;
  /** The turn of the session. Undefined for an isolated session. */
  readonly turn?: Pick<SessionTurn, 'threadId' | 'report'> | undefined;
  readonly deadline: Deadline;
  /** Aborts when no further call may be sent. Calls in flight continue. */
  readonly noMoreCalls?: AbortSignal;
  readonly onEvent: (event: GenerationEvent) => void;
  readonly ledger: Ledger;
  readonly times: Pick<Times, 'add'>;
  /** Verifies an output and converts the output to the requested form. */
  readonly finish: Finish;
  /**
   * Publishes one output as soon as the output is finished. The argument contains only this output. If the function rejects, the
   * output fails. Undefined if outputs are published later.
   */
  readonly publish?: ((result: RouteResult) => Promise<void>) | undefined;
}

/** The result of one provider call. */
interface CallReport extends Pick<RouteResult, 'outputs' | 'usage' | 'cost' | 'warnings'> {
  /** The end of the provider call in milliseconds, on the monotonic clock. */
  readonly providerEndedMs: number;
}

export type FanOut = ReturnType<typeof createFanOut>;

/** Splits the outputs of a plan into provider calls, and collects their results in order. */
export function createFanOut(deps: Deps) {
  const { clock } = deps;
  const calling = { ...deps, slotsOf: createProviderSlots(deps.permits) };

  /** Rejects if every output failed. Under `fail_fast`, rejects with the first failure. */
  return async function fanOut(work: RouteWork): Promise<RouteResult> {
    const { plan, deadline, ledger, times } = work;
    const { isFailFast, isSequential, partialImages } = plan.ask;
    const { calls, unknown, published } = toRouteCalls(plan.ask, work.earlier);
    const startedMs = clock.monotonicMs();
    const failures: OutputFailure[] = [];
    const siblings = linkSignal(deadline.signal);
    const onEvent = limitPartials(partialImages, work.onEvent, work.masked);

    const onFailure = (failure: OutputFailure) => {
      failures.push(failure);
      // After `noMoreCalls` has aborted, outputs fail because their calls are not sent. These failures must not end the calls in
      // flight.
      if (isFailFast && !work.noMoreCalls?.aborted)
        siblings.abort(new BridgeError('cancelled', 'another output has failed'));
    };
    const run = (call: RouteCall) =>
      finishedCall(calling, { ...work, onEvent }, call, siblings.signal, onFailure);
    for (const index of unknown) {
      const error = ledger.restrictedOutput(interruption(), index);
      failures.push({ index, error, generationMs: 0 });
    }

    const reports: CallReport[] = [];
    // After the signal has aborted, each further call ends before it reaches the provider.
    if (isSequential) for (const call of calls) reports.push(await run(call));
    else reports.push(...(await Promise.all(calls.map(run))));
    siblings.end();

    const outputs = reports.flatMap((report) => report.outputs).sort(byIndex);
    const succeeded = outputs.length + published.size;
    const error = requestFailure(failures, { isFailFast, succeeded, signal: deadline.signal });
    const endedMs = clock.monotonicMs();
    // The verification of the last images does not count as time of the provider.
    const providerEndedMs = error
      ? endedMs
      : Math.max(startedMs, ...reports.map((report) => report.providerEndedMs));
    times.add('provider', providerEndedMs - startedMs);
    times.add('artifact', endedMs - providerEndedMs);
    if (error) throw ledger.restrictedOnRoute(error);
    return toRouteResult(work, {
      outputs,
      failures: failures.sort(byIndex),
      usage: reports.reduce<Usage | undefined>((sum, { usage }) => addUsage(sum, usage), undefined),
      cost: sumCosts(reports.map(({ cost }) => cost)),
      warnings: reports.flatMap(({ warnings }) => warnings),
    });
  };
}

/** The dependencies of one provider call. */
interface CallDeps extends Deps {
  readonly slotsOf: (provider: Provider) => SharedSlots;
}

/**
 * Runs one provider call in its slot and finishes its outputs. Never rejects: each index results in an output or in a failure.
 * Calls `onFailure` as soon as an output fails. `signal` aborts at the deadline, and when a failure ends all calls.
 */
async function finishedCall(
  deps: CallDeps,
  work: RouteWork,
  call: RouteCall,
  signal: AbortSignal,
  onFailure: (failure: OutputFailure) => void,
): Promise<CallReport> {
  const { clock } = deps;
  const startedMs = clock.monotonicMs();
  const provider = work.plan.ask.provider.name;
  const { indices, unpublished, earlier } = call;
  const { priced } = work.plan.ask;
  const prices = {
    costOf: (measured: MeasuredCall) =>
      deps.prices.costOf({ ...priced, images: indices.length, calls: 1 }, measured),
    spend: () => plannedSpend([work.plan], deps.prices),
  };
  const ledger = earlier
    ? work.ledger.continueCall(earlier, prices)
    : work.ledger.beginCall(provider, indices, prices);
  const fail = (index: number, thrown: unknown, failed: string | undefined) => {
    const failure = toBridgeError(thrown);
    const named = failed === undefined ? failure : failure.with({ provider: failed });
    const error = ledger.restricted(named, index);
    onFailure({ index, error, generationMs: msSince(clock, startedMs) });
  };
  const called = await callInSlot(deps, work, call, ledger, signal, (thrown, failed) => {
    for (const index of unpublished) fail(index, thrown, failed);
  });
  const providerEndedMs = clock.monotonicMs();
  const { cost } = ledger.costs();
  if (!called) return { outputs: [], usage: undefined, cost, warnings: [], providerEndedMs };
  const { result, generationMs } = called;
  const { usage } = result;
  const wasRetried = result.tries > 1;
  const warnings = [
    ...(result.warnings ?? []),
    ...(wasRetried ? (['transient_provider_retry_used'] as const) : []),
  ];
  const finished = await Promise.all(
    indices.map(async (index, position) => {
      const output = result.outputs[position];
      if (!output || !unpublished.includes(index)) return [];
      try {
        const unfinished = { index, output, generationMs, masked: work.masked };
        const finished = await finishOne(unfinished, work, signal);
        ledger.verified(index);
        if (work.publish) {
          const own = { outputs: [finished], failures: [], usage, cost, warnings };
          await work.publish(toRouteResult(work, own));
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
  return { outputs: finished.flat(), usage, cost, warnings, providerEndedMs };
}

/**
 * Runs one provider call in its slot. After a failure, calls `onFailure` and resolves with undefined. A call that continues needs
 * no slot, because its task runs already.
 */
async function callInSlot(
  { clock, callProvider, metrics, slotsOf }: CallDeps,
  { plan: { ask, report }, inputs, deadline, noMoreCalls, turn, onEvent }: RouteWork,
  { indices, earlier }: RouteCall,
  ledger: LedgerCall,
  signal: AbortSignal,
  onFailure: (thrown: unknown, provider: string | undefined) => void,
): Promise<{ readonly result: CallResult; readonly generationMs: number } | undefined> {
  const { name } = ask.provider;
  const sending = anySignal(signal, noMoreCalls);
  const slots = slotsOf(ask.provider);
  const entering = earlier
    ? Promise.resolve(() => {})
    : slots.acquire(sending, (unavailable) => {
        if (unavailable) throw unavailable;
      });
  const release = await entering.catch((thrown) => {
    if (sending.aborted) onFailure(stopError(sending, { sent: false }), name);
    // The error names no provider: an error of the state store must not count against the provider.
    else onFailure(thrown, undefined);
  });
  if (!release) return undefined;
  const startedMs = clock.monotonicMs();
  try {
    if (!earlier) await ledger.open();
  } catch (refusal) {
    release();
    // The error names no provider: an error of the state store must not count against the provider.
    onFailure(refusal, undefined);
    return undefined;
  }
  try {
    const result = await callProvider({
      provider: ask.provider,
      request: {
        ...toProviderRequest(ask, inputs, indices, turn?.threadId),
        ...(earlier ? { ticket: earlier.ticket } : {}),
      },
      requestId: report.record.request_id,
      deadline,
      signal,
      sending,
      onEvent,
      ledger,
    });
    if (result.outputs.length !== indices.length) {
      throw new BridgeError('protocol', 'the provider returned the wrong number of images', {
        details: { reason: 'wrong_count', returned_images: result.outputs.length },
      });
    }
    return { result, generationMs: msSince(clock, startedMs) };
  } catch (thrown) {
    // The failure is reported before the slot is released, so that no sibling that the failure ends can start.
    onFailure(thrown, name);
    return undefined;
  } finally {
    const durationMs = clock.monotonicMs() - startedMs;
    metrics.providerCallEnded({ durationMs, provider: name, ...ledger.costs() });
    release();
  }
}

function msSince(clock: Pick<Clock, 'monotonicMs'>, startedMs: number): number {
  return Math.round(clock.monotonicMs() - startedMs);
}

function byIndex(a: { readonly index: number }, b: { readonly index: number }): number {
  return a.index - b.index;
}

/** Adds the session, and the warnings about outputs and failures, to the result of a route. */
function toRouteResult(
  { turn }: RouteWork,
  { outputs, failures, usage, cost, warnings }: RouteResult,
): RouteResult {
  return {
    outputs,
    failures,
    usage,
    cost,
    warnings: [
      ...warnings,
      ...outputs.flatMap((output) => output.warnings),
      ...(failures.length > 0 ? (['partial_output_failure'] as const) : []),
    ],
    ...(turn ? { session: turn.report } : {}),
  };
}

/** Creates the slots for simultaneous calls, separately for each provider. All operations and models share the slots. */
function createProviderSlots(permits: Permits | undefined): (provider: Provider) => SharedSlots {
  const byProvider = new Map<string, SharedSlots>();
  return ({ name, maxParallelCalls: limit }) => {
    const gate = `providers.${name}.max_parallel_outputs`;
    const slots = byProvider.get(name) ?? createSharedSlots({ gate, limit, permits });
    byProvider.set(name, slots);
    return slots;
  };
}

async function finishOne(
  unfinished: Unfinished,
  { plan, onEvent, finish }: RouteWork,
  signal: AbortSignal,
): Promise<FinishedOutput> {
  onEvent({ type: 'progress', stage: 'verifying', index: unfinished.index });
  try {
    return await finish(unfinished, plan.finish, signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    throw stopError(signal, { sent: true });
  }
}
