import type { PendingPublication, Publisher } from '../../artifacts/publisher.ts';
import type { Attempt, ImageWithBytes } from '../../contract/reply/image-response.ts';
import type { RequestContext } from '../../contract/request/request-context.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../../platform/clock.ts';
import type { OutputReport } from '../call/fan-out.ts';
import type { OutputFailure } from '../call/outcome.ts';
import type { Plan } from '../plan/plan.ts';
import type { Times } from '../times.ts';
import type { DescribedOutput, DescribeImages } from './describe-images.ts';
import type { FinishedOutput } from './finish.ts';
import type { Outcome } from './response.ts';

interface Deps {
  readonly publisher: Publisher;
}

interface DeliveryTarget extends Pick<RequestContext, 'scope' | 'baseUrl'> {
  /** The number of the job in its store. Undefined for outputs of any other request. */
  readonly job?: number | undefined;
}

export interface DeliveredImages {
  readonly data: readonly ImageWithBytes[];
  /** Publications without an owner. The caller has to commit or discard them. */
  readonly publications: readonly PendingPublication[];
}

type Deliver = ReturnType<typeof createDeliver>;

/** Returns true if the images of this output are published as files. */
export function isPublished({ response_format: form }: Plan['output']): boolean {
  return form === 'artifact' || form === 'url';
}

/** Delivers verified images in the requested form: inline, artifact, URL or metadata. */
export function createDeliver({ publisher }: Deps) {
  /**
   * Publishes images if their form needs files. `signal` aborts when the client disconnects, but not at the deadline, because
   * images that are ready by then are delivered. Throws `artifact`, `artifact_exists`.
   */
  return async function deliver(
    outputs: readonly DescribedOutput[],
    { output }: Plan,
    { scope, baseUrl, job }: DeliveryTarget,
    signal: AbortSignal,
  ): Promise<DeliveredImages> {
    const { response_format: form } = output;
    if (form === 'metadata') {
      return { data: outputs.map((it) => ({ type: form, ...facts(it) })), publications: [] };
    }
    if (form === 'b64_json') {
      const data = outputs.map((it) => ({
        type: form,
        b64_json: plainBytes(it.image.bytes),
        ...facts(it),
      }));
      return { data, publications: [] };
    }
    const images = outputs.map((it) => ({
      image: it.image,
      sidecar: it.sidecar,
      output: job === undefined ? undefined : { job, facts: outputFacts(it) },
    }));
    const publications = await publisher.publish(scope, images, output, signal);
    const data = publications.flatMap(({ record }, index): ImageWithBytes[] => {
      const it = outputs[index];
      if (!it) return [];
      const { id, name, sidecar } = record;
      const entries = { ...facts(it), ...(sidecar && { metadata_name: sidecar.name }) };
      return form === 'artifact'
        ? [{ type: form, id, name, ...entries }]
        : [{ type: form, url: `${baseUrl}/v1/artifacts/${id}`, id, ...entries }];
    });
    return { data, publications };
  };
}

function facts(it: DescribedOutput) {
  const { format, width, height, bytes, sha256 } = it.image;
  return { format, width, height, bytes: bytes.length, sha256, ...outputFacts(it) };
}

/** Returns the facts of an image that are not stored in its file. */
function outputFacts({ index, generationMs, revisedPrompt }: DescribedOutput) {
  return {
    index,
    generation_ms: generationMs,
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
  };
}

/** The steps that early and late delivery share. */
interface Steps {
  readonly describeImages: DescribeImages;
  readonly deliver: Deliver;
}

/** The job whose outputs are published as soon as they are finished. */
export interface JobOutputs {
  /** The number of the job in its store. Each publication is linked to this job. */
  readonly job: number;
  /**
   * Called with each publication when its files are complete. If the operation fails, the job decides which publications to keep.
   */
  readonly onPublished: (publication: PendingPublication) => void;
}

/** The route whose outputs are delivered. */
interface RouteFacts {
  readonly plan: Plan;
  /** Returns the routes tried so far, the current route included. Undefined unless the request has fallbacks. */
  readonly attempts: () => readonly Attempt[] | undefined;
  readonly times: Times;
}

/** Delivers the outputs of one route as they are finished. */
export interface EarlyDelivery {
  /** Publishes an output with a record of the facts known so far. Throws `artifact`, `artifact_exists`, `overloaded`. */
  readonly publish: (output: FinishedOutput, report: OutputReport) => Promise<void>;
  /** Returns all published outputs, sorted by index. */
  readonly all: () => DeliveredImages;
}

/** Delivers the outputs of jobs: each image is durable before the other outputs of its job have ended. */
export function createEarlyDelivery({
  describeImages,
  deliver,
  clock,
}: Steps & { readonly clock: Clock }) {
  return function startEarlyDelivery(
    { plan, attempts, times }: RouteFacts,
    { job, onPublished }: JobOutputs,
    target: DeliveryTarget,
  ): EarlyDelivery {
    // Publication takes milliseconds and must not lose a paid image, so that its signal never aborts.
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

interface Delivery {
  readonly times: Times;
  readonly target: DeliveryTarget;
  /** Aborts when the client disconnects, but not at the deadline, because images that are ready by then are delivered. */
  readonly client: AbortSignal;
  /** Returns the failure of one output, restricted by the ledger. */
  readonly toFailure: (error: BridgeError, index: number) => BridgeError;
}

/** The delivered images, and the outcome without the images that could not be delivered. */
interface LateDelivery {
  readonly outcome: Outcome;
  readonly delivered: DeliveredImages;
}

/** Delivers the images of a request once all of its calls have ended. */
export function createLateDelivery({ describeImages, deliver }: Steps) {
  async function together(
    outcome: Outcome,
    { times, target, client }: Delivery,
  ): Promise<DeliveredImages> {
    const outputs = await describeImages(outcome, times.report(), client);
    return deliver(outputs, outcome.plan, target, client);
  }

  /** Delivers each image on its own. A failure fails only its output. Throws the first failure if no image is left. */
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

  /**
   * Delivers all images of an outcome. Throws `artifact`, `artifact_exists`, `overloaded`, `protocol`, or the reason of `client`.
   */
  return async function deliverLate(outcome: Outcome, delivery: Delivery): Promise<LateDelivery> {
    if (!outcome.plan.ask.isFailFast) return oneByOne(outcome, delivery);
    // A request that fails leaves no file, so that the images are published together.
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

/**
 * Returns the same bytes without the `toJSON` of `Buffer`. `JSON.stringify` calls `toJSON` before its replacer, so that every byte
 * would be written out as a number.
 */
export function plainBytes(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
