import type { Usage, Warning } from '../../contract/reply/image-response.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { linkSignal } from '../../platform/linked-signal.ts';
import { limitPartials } from '../events/limit-partials.ts';
import type { FinishedOutput } from '../finish/finish.ts';
import { type OutputFailure, requestFailure } from './failure-policy.ts';
import type { CallReport, FinishedCall } from './finished-call.ts';
import type { PlannedWork } from './planned-work.ts';
import { addUsage } from './usage.ts';

interface Deps {
  readonly clock: Clock;
  readonly finishedCall: FinishedCall;
}

export interface FanOutResult {
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

export type FanOut = ReturnType<typeof createFanOut>;

/** Splits the outputs of a plan into provider calls, and collects their results in order. */
export function createFanOut({ clock, finishedCall }: Deps) {
  /** Rejects with the first failure under `fail_fast`, and when every output failed. */
  return async function fanOut(work: PlannedWork): Promise<FanOutResult> {
    const { ask } = work.plan;
    const startedMs = clock.monotonicMs();
    const failures: OutputFailure[] = [];
    const siblings = linkSignal(work.deadline.signal);
    const onEvent = limitPartials(ask.partialImages, work.onEvent, work.masked);

    const onFailure = (failure: OutputFailure) => {
      failures.push(failure);
      // An output that was not sent any more does not end the calls in flight.
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
