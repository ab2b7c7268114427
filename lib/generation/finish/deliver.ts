import type { PendingPublication, Publisher } from '../../artifacts/publisher.ts';
import type { Attempt, ImageWithBytes, Warning } from '../../contract/reply/image-response.ts';
import type { RequestContext } from '../../contract/request/request-context.ts';
import { toBridgeError } from '../../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../../platform/clock.ts';
import type { OutputFailure, RouteResult } from '../call/outcome.ts';
import type { EarlierImage } from '../earlier-work-port.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Plan } from '../plan/plan.ts';
import type { Times } from '../times.ts';
import { type DescribeDeps, type DescribedOutput, describeImages } from './describe-images.ts';
import type { FinishedOutput } from './finish.ts';
import type { Outcome } from './response.ts';

interface Deps extends DescribeDeps {
  readonly publisher: Publisher;
  readonly clock: Clock;
}

/** The operation whose images are delivered. */
interface Target extends Pick<RequestContext, 'scope' | 'baseUrl'> {
  readonly times: Times;
  /** Aborts when the client disconnects, but not at the deadline, because images that are ready by then are delivered. */
  readonly client: AbortSignal;
  /**
   * Aborts at the deadline and when the work is stopped. Afterwards, images no longer wait for a store that is unavailable. A
   * cancellation that lets the calls in flight finish does not abort this signal, because the images of these calls are kept.
   */
  readonly until: AbortSignal;
  readonly ledger: Pick<Ledger, 'restrictedOutput'>;
}

export interface DeliveredImages {
  readonly data: readonly ImageWithBytes[];
  /** Uncommitted publications. The caller must commit or discard these publications. */
  readonly publications: readonly PendingPublication[];
  /** Warnings about the images, including the warnings of their outputs. */
  readonly warnings: readonly Warning[];
}

/** The job whose outputs are published as soon as they are finished. */
export interface JobOutputs {
  /** The number of the job in its store. Each publication is linked to this job. */
  readonly job: number;
  /**
   * Called with each publication when the files of the publication are complete. If the operation fails, the job decides which
   * publications to keep.
   */
  readonly onPublished: (publication: PendingPublication) => void;
}

/** The route whose outputs are delivered early. */
interface RouteFacts {
  readonly plan: Plan;
  /** The images that an ended process has published. */
  readonly earlierImages?: readonly EarlierImage[] | undefined;
  /** Returns the routes tried so far, the current route included. Undefined unless the request has fallbacks. */
  readonly attempts: () => readonly Attempt[] | undefined;
}

/** The delivered images, and the outcome without the images that could not be delivered. */
interface LateDelivery {
  readonly outcome: Outcome;
  readonly delivered: DeliveredImages;
}

/** Returns true if the images of this output are published as files. */
export function isPublished({ response_format: form }: Plan['output']): boolean {
  return form === 'artifact' || form === 'url';
}

export type Delivery = ReturnType<typeof createDelivery>;

/** Delivers the verified images of one operation in the requested form: inline, artifact, URL or metadata. */
export function createDelivery(
  { publisher, engine, credentials, metrics, clock }: Deps,
  { scope, baseUrl, times, client, until, ledger }: Target,
) {
  /** Adds the metadata and delivers the images of an outcome together. */
  async function deliver(
    outcome: Outcome,
    signal: AbortSignal,
    job?: number,
  ): Promise<DeliveredImages> {
    const deps = { engine, credentials, metrics };
    const outputs = await describeImages(deps, outcome, times.report(), signal);
    const target = { publisher, scope, baseUrl, until };
    const delivered = await inForm(outputs, outcome.plan, target, job, signal);
    return { ...delivered, warnings: outputs.flatMap(({ warnings }) => warnings) };
  }

  /** Delivers each image separately. A failure affects only its own output. Throws the first failure if every delivery failed. */
  async function oneByOne(outcome: Outcome): Promise<LateDelivery> {
    const { outputs } = outcome.result;
    const ended = await Promise.allSettled(
      outputs.map((output) => deliver(withOutputs(outcome, [output]), client)),
    );
    const kept = outputs.filter((_, position) => ended[position]?.status === 'fulfilled');
    const delivered = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failures = outputs.flatMap(({ index, generationMs }, position) => {
      const one = ended[position];
      if (one?.status !== 'rejected') return [];
      const error = ledger.restrictedOutput(toBridgeError(one.reason), index);
      return [{ index, error, generationMs }];
    });
    const [first] = failures;
    if (first && kept.length === 0) throw first.error;
    return { outcome: withOutputs(outcome, kept, failures), delivered: toOne(delivered) };
  }

  return {
    /**
     * Creates the delivery of a job. Each image becomes durable when it is finished, without waiting for the other outputs of the
     * job.
     */
    early({ plan, attempts, earlierImages = [] }: RouteFacts, { job, onPublished }: JobOutputs) {
      // Publication takes milliseconds and must not lose a paid image. Therefore its signal never aborts.
      const { signal } = new AbortController();
      const delivered = earlierImages.map(toDeliveredImages);
      return {
        /** Publishes one output with a record of the facts known so far. Throws `artifact`, `artifact_exists`, `overloaded`. */
        async publish(result: RouteResult): Promise<void> {
          const outcome = { plan, result, completedSecs: nowSecs(clock), attempts: attempts() };
          const one = await deliver(outcome, signal, job);
          delivered.push(one);
          for (const publication of one.publications) onPublished(publication);
        },
        /** Returns all published outputs, sorted by index. */
        all: (): DeliveredImages => toOne(delivered.toSorted((a, b) => indexOf(a) - indexOf(b))),
      };
    },

    /**
     * Delivers the images of a request once all of its calls have ended. Throws `artifact`, `artifact_exists`, `overloaded`,
     * `protocol`, or the reason for which the client disconnected.
     */
    async late(outcome: Outcome): Promise<LateDelivery> {
      if (!outcome.plan.ask.isFailFast) return oneByOne(outcome);
      // A request that fails must not leave files, so all images are published together.
      return { outcome, delivered: await deliver(outcome, client) };
    },
  };
}

type Publication = Pick<Deps, 'publisher'> & Pick<Target, 'scope' | 'baseUrl' | 'until'>;

/** Resolves with images in the requested form. Publishes the images if the form needs files. */
async function inForm(
  outputs: readonly DescribedOutput[],
  { output }: Plan,
  { publisher, scope, baseUrl, until }: Publication,
  job: number | undefined,
  signal: AbortSignal,
): Promise<Omit<DeliveredImages, 'warnings'>> {
  const { response_format: form } = output;
  if (form === 'metadata') {
    return { data: outputs.map((it) => ({ type: form, ...facts(it) })), publications: [] };
  }
  if (form === 'b64_json') {
    const toData = (it: DescribedOutput) => {
      return { type: form, b64_json: it.image.bytes, ...facts(it) };
    };
    return { data: outputs.map(toData), publications: [] };
  }
  const images = outputs.map((it) => ({
    image: it.image,
    sidecar: it.sidecar,
    provenance: it.provenance,
    output:
      job === undefined ? undefined : { job, facts: { ...outputFacts(it), delivered: it.verdict } },
  }));
  const publications = await publisher.publish(scope, images, output, signal, until);
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
}

/** Returns an image that an ended process has published as this process delivers images. */
function toDeliveredImages({ record, facts }: EarlierImage): DeliveredImages {
  const { id, name, format, width, height, bytes, sha256, sidecar, provenance } = record;
  const { delivered: _, ...image } = facts;
  return {
    data: [
      {
        type: 'artifact',
        id,
        name,
        format,
        width,
        height,
        bytes,
        sha256,
        ...image,
        ...(sidecar ? { metadata_name: sidecar.name } : {}),
        ...(provenance && { provenance }),
      },
    ],
    publications: [{ record }],
    warnings: [],
  };
}

function indexOf({ data: [image] }: DeliveredImages): number {
  return image?.index ?? 0;
}

function toOne(all: readonly DeliveredImages[]): DeliveredImages {
  return {
    data: all.flatMap(({ data }) => data),
    publications: all.flatMap(({ publications }) => publications),
    warnings: all.flatMap(({ warnings }) => warnings),
  };
}

function facts(it: DescribedOutput) {
  const { image, provenance } = it;
  const { format, width, height, bytes, sha256 } = image;
  return { format, width, height, bytes: bytes.length, sha256, ...outputFacts(it), provenance };
}

/** Returns the facts of an image that are not stored in its file. */
function outputFacts({ index, generationMs, revisedPrompt }: DescribedOutput) {
  return {
    index,
    generation_ms: generationMs,
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
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
