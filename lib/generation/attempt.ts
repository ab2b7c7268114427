import type { Deadline } from '../admission/deadline.ts';
import type { Slots } from '../admission/slots.ts';
import type { Usage, Warning } from '../contract/image-response.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { VerifiedImage } from '../images/image.ts';
import type { InputSet } from '../inputs/verify-inputs.ts';
import type { Clock } from '../platform/clock.ts';
import type { CallProvider } from './call-provider.ts';
import type { Finish, FinishedOutput } from './finish.ts';
import type { GenerationEvent } from './generation-event.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { NegotiatedRequest } from './negotiation.ts';
import { toProviderRequest } from './provider-request.ts';
import type { Route } from './routing.ts';
import { addUsage } from './usage.ts';

interface Deps {
  readonly clock: Clock;
  readonly callProvider: CallProvider;
  readonly finish: Finish;
  /** The simultaneous calls of one provider, whichever operations they belong to. */
  readonly slotsOf: (route: Route) => Slots;
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

export interface OutputFailure {
  readonly index: number;
  readonly error: BridgeError;
  readonly generationMs: number;
}

export interface AttemptResult {
  /** By index, ascending. */
  readonly outputs: readonly FinishedOutput[];
  readonly failures: readonly OutputFailure[];
  readonly usage: Usage | undefined;
  readonly warnings: readonly Warning[];
  /** When the last provider call had ended, on the monotonic clock. */
  readonly providerEndedMs: number;
}

export type Attempt = ReturnType<typeof createAttempt>;

/** Splits a request into provider calls, finishes each output as it comes, and puts them back in order. */
export function createAttempt({ clock, callProvider, finish, slotsOf }: Deps) {
  /** Rejects with the first failure under `fail_fast`, and when every output failed. */
  return async function attempt(input: AttemptInput): Promise<AttemptResult> {
    const { request, route, negotiated, deadline } = input;
    const isFailFast = negotiated.effective.failure_policy === 'fail_fast';
    const outputs: FinishedOutput[] = [];
    const failures: OutputFailure[] = [];
    const warnings = new Set<Warning>(negotiated.warnings);
    let usage: Usage | undefined;
    let providerEndedMs = clock.monotonicMs();
    const siblings = followedBy(deadline.signal);

    async function runCall(indices: readonly number[]): Promise<void> {
      const startedMs = clock.monotonicMs();
      const sinceMs = () => Math.round(clock.monotonicMs() - startedMs);
      const fail = (index: number, thrown: unknown) => {
        const error = toBridgeError(thrown).with({ provider: route.provider.name });
        failures.push({ index, error, generationMs: sinceMs() });
        if (isFailFast) siblings.abort(new BridgeError('cancelled', 'another output has failed'));
      };
      try {
        const release = await slotsOf(route).take(siblings.signal);
        const result = await callProvider({
          ...input,
          provider: route.provider,
          request: toProviderRequest(request, route, negotiated, input.inputs, indices),
          signal: siblings.signal,
        }).finally(release);
        providerEndedMs = clock.monotonicMs();
        usage = addUsage(usage, result.usage);
        for (const warning of result.warnings ?? []) warnings.add(warning);
        if (result.attempts > 1) warnings.add('transient_provider_retry_used');
        const generationMs = sinceMs();
        checkCount(result.outputs.length, indices.length);
        const finishing = indices.map(async (index, place) => {
          const output = result.outputs[place];
          if (!output) return;
          try {
            input.onEvent({ type: 'progress', stage: 'verifying', index });
            const unfinished = { index, output, generationMs };
            outputs.push(await finish(unfinished, request, negotiated, siblings.signal));
          } catch (thrown) {
            fail(index, thrown);
          }
        });
        await Promise.all(finishing);
      } catch (thrown) {
        for (const index of indices) fail(index, thrown);
      }
    }

    const calls = split(negotiated.effective.n, route.capabilities.batching.native_count.max);
    try {
      if (isSequential(request)) {
        for (const indices of calls) {
          if (isFailFast && failures.length > 0) break;
          await runCall(indices);
        }
      } else await Promise.all(calls.map(runCall));
    } finally {
      siblings.end();
    }
    throwIfFailed(failures, outputs.length, isFailFast, deadline.signal);
    if (failures.length > 0) warnings.add('partial_output_failure');
    for (const output of outputs) for (const warning of output.warnings) warnings.add(warning);
    return {
      outputs: outputs.sort((a, b) => a.index - b.index),
      failures: failures.sort((a, b) => a.index - b.index),
      usage,
      warnings: [...warnings],
      providerEndedMs,
    };
  };
}

/** Sessions that are not isolated run one turn at a time (specification 2.10.5). */
function isSequential({ policies, session }: GenerationRequest): boolean {
  return policies.batch_execution === 'sequential' || session.mode !== 'isolated';
}

/** 0..n-1 in calls of at most `size`. */
function split(n: number, size: number): number[][] {
  const all = Array.from({ length: n }, (_, index) => index);
  return Array.from({ length: Math.ceil(n / size) }, (_, call) =>
    all.slice(call * size, (call + 1) * size),
  );
}

function checkCount(given: number, asked: number): void {
  if (given === asked) return;
  throw new BridgeError('protocol', 'the provider gave another number of pictures than asked for');
}

/** A controller of our own that also ends when `signal` aborts. */
function followedBy(signal: AbortSignal) {
  const controller = new AbortController();
  const follow = () => controller.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason: BridgeError) => controller.abort(reason),
    end: () => signal.removeEventListener('abort', follow),
  };
}

function throwIfFailed(
  failures: readonly OutputFailure[],
  succeeded: number,
  isFailFast: boolean,
  signal: AbortSignal,
): void {
  const [first] = failures;
  if (!first) return;
  // Who has left gets no partial result; at the deadline `best_effort` still delivers what is ready.
  const isOver = signal.aborted && toBridgeError(signal.reason).code !== 'timeout';
  if (!isFailFast && succeeded > 0 && !isOver) return;
  const others = failures.slice(1);
  if (!others.some(({ error }) => error.details['outcome'] === 'unknown')) throw first.error;
  // A sibling that had been dispatched may have been paid for: whoever repeats this must know.
  throw first.error.with({ retryable: false, details: { outcome: 'unknown' } });
}
