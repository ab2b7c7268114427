import type { BridgeError } from '../../errors/bridge-error.ts';
import { toBridgeError } from '../../errors/bridge-error.ts';
import type { OutputFailure } from '../call/failure-policy.ts';
import type { Times } from '../times.ts';
import type { Deliver, DeliveredImages, DeliveryTarget } from './deliver.ts';
import type { DescribeImages } from './describe-images.ts';
import type { FinishedOutput } from './finish.ts';
import type { Outcome } from './outcome.ts';

interface Deps {
  readonly describeImages: DescribeImages;
  readonly deliver: Deliver;
}

interface Delivery {
  readonly times: Times;
  readonly target: DeliveryTarget;
  /** Aborts when the client disconnects, but not at the deadline: what is ready by then is delivered. */
  readonly client: AbortSignal;
  /** Returns the failure of one output, as its ledger allows it. */
  readonly toFailure: (error: BridgeError, index: number) => BridgeError;
}

/** The images that were delivered, and the outcome without those that could not be. */
interface LateDelivery {
  readonly outcome: Outcome;
  readonly delivered: DeliveredImages;
}

/** Delivers the images of a request once all of its calls have ended. */
export function createLateDelivery({ describeImages, deliver }: Deps) {
  async function together(
    outcome: Outcome,
    { times, target, client }: Delivery,
  ): Promise<DeliveredImages> {
    const outputs = await describeImages(outcome, times.report(), client);
    return deliver(outputs, outcome.plan, target, client);
  }

  /** The failure of an image belongs to its output. Throws the first failure if no image is left. */
  async function oneByOne(outcome: Outcome, delivery: Delivery): Promise<LateDelivery> {
    const ended = await Promise.allSettled(
      outcome.result.outputs.map((output) => together(withOutputs(outcome, [output]), delivery)),
    );
    const kept: FinishedOutput[] = [];
    const all: DeliveredImages[] = [];
    const failures: OutputFailure[] = [];
    for (const [position, output] of outcome.result.outputs.entries()) {
      const one = ended[position];
      if (one?.status === 'fulfilled') {
        kept.push(output);
        all.push(one.value);
      } else {
        const { index, generationMs } = output;
        const error = delivery.toFailure(toBridgeError(one?.reason), index);
        failures.push({ index, error, generationMs });
      }
    }
    const [first] = failures;
    if (first && kept.length === 0) throw first.error;
    return {
      outcome: withOutputs(outcome, kept, failures),
      delivered: {
        data: all.flatMap(({ data }) => data),
        publications: all.flatMap(({ publications }) => publications),
      },
    };
  }

  /** Throws `artifact`, `artifact_exists`, `overloaded`, `protocol`, or the reason of `client`. */
  return async function deliverLate(outcome: Outcome, delivery: Delivery): Promise<LateDelivery> {
    if (!outcome.plan.ask.isFailFast) return oneByOne(outcome, delivery);
    // All or nothing: a request that fails leaves no file.
    return { outcome, delivered: await together(outcome, delivery) };
  };
}

function withOutputs(
  outcome: Outcome,
  outputs: readonly FinishedOutput[],
  failures: readonly OutputFailure[] = [],
): Outcome {
  const { result } = outcome;
  const isPartial = failures.length > 0;
  return {
    ...outcome,
    result: {
      ...result,
      outputs,
      failures: [...result.failures, ...failures].sort((a, b) => a.index - b.index),
      warnings: [...result.warnings, ...(isPartial ? (['partial_output_failure'] as const) : [])],
    },
  };
}
