import type { Deadline } from '../../admission/deadline.ts';
import type { Usage, Warning } from '../../contract/reply/image-response.ts';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { VerifiedImage } from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Semaphore } from '../../platform/semaphore.ts';
import type { GenerationEvent } from '../events/generation-event.ts';
import type { Finish, FinishedOutput, Unfinished } from '../finish/finish.ts';
import type { GenerationRequest } from '../generation-request.ts';
import type { NegotiatedRequest } from '../plan/negotiation.ts';
import { toProviderRequest } from '../plan/provider-request.ts';
import type { Route } from '../plan/routing.ts';
import type { CallProvider, CallResult } from './call-provider.ts';
import type { OutputFailure } from './failure-policy.ts';
import { stopError } from './stop-error.ts';

interface Deps {
  readonly clock: Clock;
  readonly callProvider: CallProvider;
  readonly finish: Finish;
  /** The simultaneous calls of one provider, whichever operations they belong to. */
  readonly slotsOf: (route: Route) => Semaphore;
  readonly metrics: Pick<Metrics, 'providerCallEnded'>;
}

/** One request on one route. */
export interface AttemptInput {
  readonly requestId: string;
  readonly request: GenerationRequest;
  readonly route: Route;
  readonly negotiated: NegotiatedRequest;
  readonly inputs: InputSet<VerifiedImage>;
  readonly deadline: Deadline;
  readonly onEvent: (event: GenerationEvent) => void;
}

/** What the calls of one attempt have in common. */
export interface CallContext {
  /** Aborts with the attempt, and when a sibling's failure ends them all. */
  readonly signal: AbortSignal;
  /** Told at once, each index at most once. */
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

export type RunCall = ReturnType<typeof createRunCall>;

/** Makes the outputs of one provider call: waits for a place, calls, and finishes what comes back. */
export function createRunCall({ clock, callProvider, finish, slotsOf, metrics }: Deps) {
  /** Undefined after a failure, which has then been told. */
  async function call(
    { requestId, request, route, negotiated, inputs, deadline, onEvent }: AttemptInput,
    indices: readonly number[],
    signal: AbortSignal,
    onFailure: (thrown: unknown) => void,
  ): Promise<{ readonly result: CallResult; readonly generationMs: number } | undefined> {
    const release = await takePlace(slotsOf(route), signal).catch(onFailure);
    if (!release) return undefined;
    const startedMs = clock.monotonicMs();
    try {
      const result = await callProvider({
        ...{ requestId, deadline, signal, onEvent },
        provider: route.provider,
        request: toProviderRequest(request, route, negotiated, inputs, indices),
      });
      checkCount(result.outputs.length, indices.length);
      return { result, generationMs: Math.round(clock.monotonicMs() - startedMs) };
    } catch (thrown) {
      // Told before the place is free: where this ends the siblings, none of them must begin now.
      onFailure(thrown);
      return undefined;
    } finally {
      const durationMs = clock.monotonicMs() - startedMs;
      metrics.providerCallEnded({ provider: route.provider.name, durationMs });
      release();
    }
  }

  /** Rejects over nothing: each of `indices` ends as an output or as a failure. */
  return async function runCall(
    input: AttemptInput,
    indices: readonly number[],
    { signal, onFailure }: CallContext,
  ): Promise<CallReport> {
    const begunMs = clock.monotonicMs();
    const fail = (index: number, thrown: unknown, isMade = false) => {
      const error = toBridgeError(thrown).with({ provider: input.route.provider.name });
      const generationMs = Math.round(clock.monotonicMs() - begunMs);
      onFailure({ index, error, generationMs, isMade });
    };
    const called = await call(input, indices, signal, (thrown) => {
      for (const index of indices) fail(index, thrown);
    });
    const providerEndedMs = clock.monotonicMs();
    if (!called) return { outputs: [], usage: undefined, warnings: [], providerEndedMs };
    const { result, generationMs } = called;
    const finished = await Promise.all(
      indices.map(async (index, place) => {
        const output = result.outputs[place];
        if (!output) return [];
        try {
          return [await finishOne(finish, { index, output, generationMs }, input, signal)];
        } catch (thrown) {
          fail(index, thrown, signal.aborted);
          return [];
        }
      }),
    );
    const warnings = [...(result.warnings ?? []), ...repetitionWarnings(result)];
    return { outputs: finished.flat(), usage: result.usage, warnings, providerEndedMs };
  };
}

async function finishOne(
  finish: Finish,
  unfinished: Unfinished,
  { request, negotiated, onEvent }: AttemptInput,
  signal: AbortSignal,
): Promise<FinishedOutput> {
  onEvent({ type: 'progress', stage: 'verifying', index: unfinished.index });
  try {
    return await finish(unfinished, request, negotiated, signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    throw stopError(signal, { dispatched: true, outcomeKnown: true, stopped: true });
  }
}

function repetitionWarnings({ attempts }: CallResult): readonly Warning[] {
  return attempts > 1 ? ['transient_provider_retry_used'] : [];
}

async function takePlace(slots: Semaphore, signal: AbortSignal): Promise<() => void> {
  try {
    return await slots.acquire(signal);
  } catch {
    throw stopError(signal, { dispatched: false, outcomeKnown: true, stopped: true });
  }
}

function checkCount(given: number, asked: number): void {
  if (given === asked) return;
  throw new BridgeError('protocol', 'the provider gave another number of images than asked for');
}
