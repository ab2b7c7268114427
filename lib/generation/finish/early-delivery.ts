import type { PendingPublication } from '../../artifacts/publisher.ts';
import type { Attempt, ImageWithBytes } from '../../contract/reply/image-response.ts';
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

/** An image that has its name and no owner yet. */
export interface PublishedImage {
  readonly image: ImageWithBytes;
  readonly publication: PendingPublication;
}

export interface ImageTaker {
  /**
   * Takes each image as soon as it is published, while other calls of the operation may still run. What it has taken is in
   * the result too; if the operation fails, it is for the taker to discard.
   */
  readonly onPublished?: (published: PublishedImage) => Promise<void>;
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
  /** Begins to publish an output, whose metadata record says what is known by now. */
  readonly add: (output: FinishedOutput, report: OutputReport) => void;
  /** Resolves when no publication is in progress any more. Never rejects. */
  settled(): Promise<void>;
  /** All outputs that were added, by index. Rejects with the first failure once all have settled. */
  all(): Promise<DeliveredImages>;
}

/** For operations of several calls: what a call has made is durable before the other calls have ended. */
export function createEarlyDelivery({ describeImages, deliver, clock }: Deps) {
  /** Undefined where images are taken at the end only, or there is one call. */
  return function startEarlyDelivery(
    { plan, attempts, times }: RouteFacts,
    { onPublished, ...target }: DeliveryTarget & ImageTaker,
  ): EarlyDelivery | undefined {
    if (!onPublished || plan.ask.calls.length < 2) return undefined;
    const take = onPublished;
    // What is verified is published in milliseconds. An interruption must not lose it, and a cancelled owner discards it.
    const { signal } = new AbortController();
    const deliveries: Promise<DeliveredImages>[] = [];

    async function publish(output: FinishedOutput, report: OutputReport): Promise<DeliveredImages> {
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
      const delivered = await deliver(outputs, plan, target, signal);
      const [image] = delivered.data;
      const [publication] = delivered.publications;
      if (image && publication) await take({ image, publication });
      return delivered;
    }

    async function settled(): Promise<void> {
      await Promise.allSettled(deliveries);
    }

    return {
      add(output, report) {
        const delivery = publish(output, report);
        // A failure is that of the operation, which asks for it later.
        delivery.catch(() => {});
        deliveries.push(delivery);
      },
      settled,
      async all() {
        await settled();
        const delivered = await Promise.all(deliveries);
        delivered.sort((a, b) => indexOf(a) - indexOf(b));
        return {
          data: delivered.flatMap(({ data }) => data),
          publications: delivered.flatMap(({ publications }) => publications),
        };
      },
    };
  };
}

function indexOf({ data: [image] }: DeliveredImages): number {
  return image?.index ?? 0;
}
