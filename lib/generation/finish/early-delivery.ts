import type { PendingPublication } from '../../artifacts/publisher.ts';
import type { Attempt } from '../../contract/reply/image-response.ts';
import { type Clock, nowSecs } from '../../platform/clock.ts';
import type { OutputReport } from '../call/planned-work.ts';
import type { Plan } from '../plan/plan.ts';
import type { Times } from '../times.ts';
import type { Deliver, DeliveredImages, DeliveryTarget } from './deliver.ts';
import type { DescribeImages } from './describe-images.ts';
import type { FinishedOutput } from './finish.ts';

interface Deps {
  readonly describeImages: DescribeImages;
  readonly deliver: Deliver;
  readonly clock: Clock;
}

/** The job whose outputs are published, each as soon as it is finished. */
export interface JobOutputs {
  /** The number of the job in its store: the link to it is noted with each publication. */
  readonly job: number;
  /** Called with each publication when its files are complete. If the operation fails, the job decides what it keeps. */
  readonly onPublished: (publication: PendingPublication) => void;
}

/** The route whose outputs are delivered. */
interface RouteFacts {
  readonly plan: Plan;
  /** The routes up to now, this one included; undefined unless the request asked for fallbacks. */
  readonly attempts: () => readonly Attempt[] | undefined;
  readonly times: Times;
}

/** Delivers the outputs of one route as they are finished. */
export interface EarlyDelivery {
  /** Publishes an output, whose metadata record says what is known by now. Throws `artifact`, `artifact_exists`, `overloaded`. */
  readonly publish: (output: FinishedOutput, report: OutputReport) => Promise<void>;
  /** Returns all outputs that were published, by index. */
  readonly all: () => DeliveredImages;
}

/** For jobs: an image is durable before the other outputs of the job have ended. */
export function createEarlyDelivery({ describeImages, deliver, clock }: Deps) {
  return function startEarlyDelivery(
    { plan, attempts, times }: RouteFacts,
    { job, onPublished }: JobOutputs,
    target: DeliveryTarget,
  ): EarlyDelivery {
    // A verified image is published in milliseconds, so that an interruption does not lose it.
    const { signal } = new AbortController();
    const delivered: DeliveredImages[] = [];
    return {
      async publish(output, report) {
        const outcome = {
          plan,
          completedSecs: nowSecs(clock),
          attempts: attempts(),
          result: {
            ...report,
            outputs: [output],
            failures: [],
            providerEndedMs: clock.monotonicMs(),
          },
        };
        const outputs = await describeImages(outcome, times.report(), signal);
        const one = await deliver(outputs, plan, { ...target, job }, signal);
        delivered.push(one);
        for (const publication of one.publications) onPublished(publication);
      },
      all() {
        const byIndex = delivered.toSorted((a, b) => indexOf(a) - indexOf(b));
        return {
          data: byIndex.flatMap(({ data }) => data),
          publications: byIndex.flatMap(({ publications }) => publications),
        };
      },
    };
  };
}

function indexOf({ data: [image] }: DeliveredImages): number {
  return image?.index ?? 0;
}
