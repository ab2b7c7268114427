import type { Usage, Warning } from '../../contract/reply/image-response.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { linkSignal } from '../../platform/linked-signal.ts';
import type { GenerationEvent } from '../events/generation-event.ts';
import { limitPartials } from '../events/limit-partials.ts';
import type { FinishedOutput } from '../finish/finish.ts';
import type { GenerationRequest } from '../generation-request.ts';
import { type OutputFailure, requestFailure } from './failure-policy.ts';
import type { AttemptInput, CallReport, RunCall } from './run-call.ts';
import { addUsage } from './usage.ts';

interface Deps {
  readonly clock: Clock;
  readonly runCall: RunCall;
}

export interface AttemptResult {
  /** By index, ascending. */
  readonly outputs: readonly FinishedOutput[];
  /** By index, ascending; none under `fail_fast`. */
  readonly failures: readonly OutputFailure[];
  readonly usage: Usage | undefined;
  /** As they came up: perhaps repeated, in no particular order. */
  readonly warnings: readonly Warning[];
  /** When the last provider call had ended, on the monotonic clock. */
  readonly providerEndedMs: number;
}

export type Attempt = ReturnType<typeof createAttempt>;

/** Splits a request into provider calls, and puts what they make back in order. */
export function createAttempt({ clock, runCall }: Deps) {
  /** Rejects with the first failure under `fail_fast`, and when every output failed. */
  return async function attempt(input: AttemptInput): Promise<AttemptResult> {
    const { request, route, negotiated, deadline } = input;
    const isFailFast = negotiated.effective.failure_policy === 'fail_fast';
    const startedMs = clock.monotonicMs();
    const failures: OutputFailure[] = [];
    const siblings = linkSignal(deadline.signal);
    const watched = watchDispatch(
      limitPartials(negotiated.effective.partial_images, input.onEvent),
    );

    const onFailure = (failure: OutputFailure) => {
      failures.push(failure);
      if (isFailFast) siblings.abort(new BridgeError('cancelled', 'another output has failed'));
    };
    const { signal } = siblings;
    const run = (indices: readonly number[]) =>
      runCall({ ...input, onEvent: watched.onEvent }, indices, { signal, onFailure });

    const calls = split(negotiated.effective.n, route.capabilities.batching.native_count.max);
    const reports = isSequential(request)
      ? await oneByOne(calls, run)
      : await Promise.all(calls.map(run));
    siblings.end();

    const outputs = reports.flatMap((report) => report.outputs);
    const error = requestFailure(failures, {
      isFailFast,
      succeeded: outputs.length,
      dispatched: watched.dispatched(),
      signal: deadline.signal,
    });
    if (error) throw error;
    return {
      outputs: outputs.sort(byIndex),
      failures: failures.sort(byIndex),
      usage: reports.reduce<Usage | undefined>((sum, { usage }) => addUsage(sum, usage), undefined),
      warnings: [
        ...negotiated.warnings,
        ...reports.flatMap(({ warnings }) => warnings),
        ...outputs.flatMap(({ warnings }) => warnings),
        ...(failures.length > 0 ? (['partial_output_failure'] as const) : []),
      ],
      providerEndedMs: Math.max(startedMs, ...reports.map((report) => report.providerEndedMs)),
    };
  };
}

/** Sessions that are not isolated run one turn at a time (specification 2.10.5). */
function isSequential({ policies, session }: GenerationRequest): boolean {
  return policies.batch_execution === 'sequential' || session.mode !== 'isolated';
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

/** 0..n-1 in calls of at most `size`. */
function split(n: number, size: number): number[][] {
  const all = Array.from({ length: n }, (_, index) => index);
  return Array.from({ length: Math.ceil(n / size) }, (_, call) =>
    all.slice(call * size, (call + 1) * size),
  );
}

/** Passes events on. All that a call tells of, it tells of something that was dispatched. */
function watchDispatch(onEvent: (event: GenerationEvent) => void) {
  let seen = false;
  return {
    onEvent(event: GenerationEvent): void {
      seen = true;
      onEvent(event);
    },
    dispatched: () => seen,
  };
}

function byIndex(a: { readonly index: number }, b: { readonly index: number }): number {
  return a.index - b.index;
}
