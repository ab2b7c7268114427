import type { StoredInput } from '../contract/request/image-input.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import { chargedImages } from '../contract/request/own-work.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { inputsOf, isTerminal, type JobRequest, type Webhook } from '../contract/resources/job.ts';
import type { JobGroup } from '../contract/resources/job-group.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { effectOf, isPerhapsPaid } from '../errors/call-effect.ts';
import type { Generation } from '../generation/generation.ts';
import {
  type GenerationRequest,
  toFingerprintedRequest,
  toGenerationRequest,
} from '../generation/generation-request.ts';
import { badInput } from '../inputs/bad-input.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import {
  factsOf,
  type InputFacts,
  type InputSet,
  mapInputs,
  toList,
} from '../inputs/input-source.ts';
import { type StoredImage, type StoredInputs, toStoredInput } from '../inputs/stored-inputs.ts';
import { toInputSources, toStoredSources } from '../inputs/to-input-sources.ts';
import type { InputVerifier } from '../inputs/verify-inputs.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import type { Ids } from '../platform/ids.ts';
import type { Place } from '../platform/ordered-steps.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { type MarkedRequest, toRepeatMark } from '../replay/repeat-mark.ts';
import type { Replay } from '../replay/replay.ts';
import type { Usage } from '../usage/usage.ts';
import type { WebhookTargets } from '../webhooks/webhook-targets.ts';
import { foundJob } from './job-end.ts';
import type { FindParents } from './job-parents.ts';
import type { JobAdmission, JobLimits, JobRecord, JobStore, NewJob } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'submit' | 'refuseWhenFull' | 'find' | 'findByKey' | 'needsInput'>;
  readonly generation: Pick<Generation, 'plan' | 'plannedSpend'>;
  readonly verifier: InputVerifier;
  readonly inputs: Pick<StoredInputs, 'keepFor'>;
  readonly findParents: FindParents;
  readonly usage: Pick<Usage, 'reservationOf'>;
  readonly webhooks: WebhookTargets;
  readonly replay: Pick<Replay, 'once' | 'jobKeyHash'>;
  readonly slices: TimeSlices;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newUuid'>;
  readonly limits: JobLimits;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

export interface Submitted {
  readonly job: JobRecord;
  /** True if the job was accepted earlier, for an equal request. */
  readonly repeated: boolean;
}

/** A request from any API, with the settings of a job. */
export type JobSubmission = AnyImageRequest & {
  readonly priority?: number;
  readonly labels?: readonly string[];
  readonly group?: JobGroup | undefined;
  readonly webhook?: Webhook | undefined;
};

export type JobAcceptance = ReturnType<typeof createJobAcceptance>;

/** Adds jobs to the queue, for new requests and for retries. */
export function createJobAcceptance(deps: Deps) {
  const accept = createAcceptJob(deps);
  return { submit: createSubmitJob(deps, accept), retry: createRetryJob(deps, accept) };
}

/** A job before its plan is made and its images are verified. */
interface JobDraft extends Pick<NewJob, 'priority' | 'labels' | 'group' | 'retryOf' | 'webhook'> {
  readonly request: GenerationRequest;
  /** The origins of the images. If absent, they are found by the sources of the images. */
  readonly parents?: NewJob['parents'];
  toJobRequest(images: InputSet<StoredImage>): JobRequest;
}

const NO_IMAGES: InputSet<StoredImage> = { images: [], references: [] };

interface AcceptedInputs extends Pick<JobAdmission, 'imagesStoredMs'> {
  readonly images: InputSet<StoredImage>;
  readonly parents: NewJob['parents'];
  /** Absent without images. */
  readonly facts?: InputSet<InputFacts>;
}

interface AcceptOptions {
  readonly key?: JobAdmission['key'];
  /** The place of this job among others. The job is added after the jobs with earlier places. */
  readonly place?: Place | undefined;
}

type AcceptJob = ReturnType<typeof createAcceptJob>;

function createAcceptJob(deps: Deps) {
  const { store, generation, verifier, inputs, findParents, usage, limits, clock, ids } = deps;
  /**
   * Resolves when the job is durably queued. Throws `overloaded`, `rate_limited`, `idempotency_conflict`, `input`, `artifact`,
   * `unsupported_capability`, `session_not_found`, or the reason of the signal.
   */
  return async function acceptJob(
    { request, parents: known, toJobRequest, ...more }: JobDraft,
    context: RequestContext,
    { key, place }: AcceptOptions = {},
  ): Promise<Submitted> {
    const { scope, caller, requestId } = context;
    const signal = context.signal();
    // The request is planned before its images are decoded, so that an impossible request is rejected early. The sizes of the
    // decoded images may still cause a rejection.
    const planned = await generation.plan(request, context);
    if (toList(request.inputs).length === 0) {
      signal.throwIfAborted();
      return addJob(planned, { images: NO_IMAGES, parents: [] });
    }
    const images = await verifier.verify(request.inputs, { scope, signal });
    const facts = mapInputs(images, factsOf);
    const route = await generation.plan(request, context, facts);
    const found = known ?? (await findParents(scope, request.inputs));
    const parents = images.mask && !request.inputs.mask ? behindMask(found, images) : found;
    return inputs.keepFor(toList(images), signal, (imagesStoredMs) =>
      addJob(route, { images, parents, facts, imagesStoredMs }),
    );

    async function addJob(
      onRoute: typeof planned,
      { images, parents, facts, imagesStoredMs }: AcceptedInputs,
    ): Promise<Submitted> {
      const reservation = usage.reservationOf(caller, chargedImages(request), () =>
        generation.plannedSpend(request, context, facts),
      );
      const job = {
        ...onRoute,
        ...more,
        id: ids.newUuid(),
        scope,
        requestId,
        createdSecs: nowSecs(clock),
        request: toJobRequest(images),
        parents,
        reservedBytes: reservationFor(request.parameters.n),
      };
      await place?.reached();
      const admission = { ...limits, reservation, imagesStoredMs, ...(key && { key }) };
      const submitted = store.submit(job, admission);
      // The place is left before the commit, so that the next job can be in the same transaction.
      place?.leave();
      return submitted;
    }
  };
}

/** Creates the function that accepts new requests. */
function createSubmitJob(
  { store, slices, usage, webhooks, replay, limits, maxInputBytes }: Deps,
  acceptJob: AcceptJob,
) {
  async function fingerprintOf(
    { webhook, ...sent }: Omit<JobSubmission, 'priority' | 'labels' | 'group'>,
    { inputs }: GenerationRequest,
    { operationId, signal }: RequestContext,
  ): Promise<string> {
    const identities = await identifyInputs(inputs, slices, signal());
    const fingerprinted = toFingerprintedRequest(sent, inputs, identities);
    // Without a webhook, the fingerprint must equal the fingerprint of versions that did not support webhooks.
    return toFingerprint(operationId, webhook ? { ...fingerprinted, webhook } : fingerprinted);
  }

  /** Resolves with the job that an earlier try of the client created, or else with the job that `accept` creates. */
  async function acceptedOnce(
    request: MarkedRequest,
    context: RequestContext,
    accept: (signal: AbortSignal) => Promise<Submitted>,
  ): Promise<Submitted> {
    const { scope } = context;
    const { value: id, replayed } = await replay.once(
      request,
      async (signal) => (await accept(signal)).job.id,
      context,
      async (earlier) => isRepeatable(await store.find(scope, earlier)),
    );
    return { job: foundJob(await store.find(scope, id)), repeated: replayed };
  }

  /**
   * Resolves when the job is durably queued. Rejects a request that no route can serve or that has an invalid image. If an equal
   * request with the same idempotency key was accepted earlier, resolves with the earlier job. The same applies to a retry from a
   * client that counts its retries. Throws any error that `acceptJob` throws.
   */
  return async function submitJob(
    { priority = 0, labels = [], group, webhook: named, ...sent }: JobSubmission,
    context: RequestContext,
  ): Promise<Submitted> {
    const { scope } = context;
    const webhook = webhooks.toTarget(named);
    const mark = toRepeatMark(sent.idempotency_key, context);
    const isCounted = mark !== undefined && 'retryCount' in mark;
    const isRetry = isCounted && mark.retryCount > 0;
    const hash = mark && 'key' in mark ? replay.jobKeyHash(scope, mark.key) : undefined;
    // The limits are checked before images are decoded, and before a first try replaces the mark of an earlier job. The transaction
    // that adds the job checks the limits again. A retry from a client is not checked here, because the job may already exist.
    if (!isRetry && (isCounted || hasImages(sent))) {
      const reservation = usage.reservationOf(context.caller, chargedImages(sent));
      await store.refuseWhenFull(scope, { ...limits, reservation }, hash);
    }
    const sources = toInputSources(sent, maxInputBytes);
    const request = toGenerationRequest(sent, await slices.run(sources, context.signal()));
    const draft = {
      request,
      priority,
      labels,
      group,
      webhook,
      toJobRequest: (images: InputSet<StoredImage>) => toStoredRequest(sent, images),
    };
    if (mark === undefined) return acceptJob(draft, context);
    const fingerprint = await fingerprintOf({ ...sent, webhook: named }, request, context);
    if (hash === undefined) {
      return acceptedOnce({ ...mark, scope, fingerprint }, context, (signal) =>
        acceptJob(draft, { ...context, signal: () => signal }),
      );
    }
    const key = { hash, fingerprint };
    const earlier = await store.findByKey(key);
    return earlier ? { job: earlier, repeated: true } : acceptJob(draft, context, { key });
  };
}

/** Shifts the positions of the references by one, because the bridge has inserted the mask of a canvas before them. */
function behindMask(
  parents: NewJob['parents'],
  { images }: Pick<InputSet<unknown>, 'images'>,
): NewJob['parents'] {
  return parents.map((parent) =>
    parent.input < images.length ? parent : { ...parent, input: parent.input + 1 },
  );
}

function hasImages({ images, mask, reference_images }: AnyImageRequest): boolean {
  return images.length > 0 || mask !== null || reference_images.length > 0;
}

/** Returns true if a retry from a client starts a new job: the earlier job was removed, or it failed and nothing was charged. */
function isRepeatable(job: JobRecord | undefined): boolean {
  if (job === undefined) return true;
  if (job.status !== 'failed' || job.error === undefined) return false;
  const { code, retryable, details } = job.error;
  if (details['outcome'] === 'unknown' || details['succeeded_outputs'] !== undefined) return false;
  return retryable || !isPerhapsPaid(effectOf({ code, effect: undefined }));
}

/** Creates the function that accepts retries of jobs that ended without success. */
function createRetryJob({ store, usage, webhooks, replay, limits }: Deps, acceptJob: AcceptJob) {
  async function findRetryable(scope: string, id: string): Promise<JobRecord> {
    const job = foundJob(await store.find(scope, id));
    if (!isTerminal(job.status)) {
      throw new BridgeError('job_not_terminal', 'a job can be retried only after it has ended');
    }
    if (job.status === 'succeeded') {
      throw new BridgeError('job_succeeded', 'a succeeded job cannot be retried');
    }
    return job;
  }

  /** Throws `input` if an image is no longer stored, for example because the job was removed in the meantime. */
  async function refuseWithoutInputs(request: JobRequest): Promise<void> {
    const sources = toList(toStoredSources(request));
    for (const [index, { sha256 }] of inputsOf(request).entries()) {
      const field = sources[index]?.field ?? 'images';
      if (!(await store.needsInput(sha256))) throw badInput(field, field, 'not_stored_any_more');
    }
  }

  /**
   * Resolves when the new job is durably queued. If an equal request with the same idempotency key was accepted earlier, resolves
   * with the earlier job. With a place, the new job is queued after the jobs with earlier places. Throws `not_found`,
   * `job_not_terminal`, `job_succeeded`, and any error that `acceptJob` throws.
   */
  return async function retryJob(
    id: string,
    context: RequestContext,
    place?: Place,
  ): Promise<Submitted> {
    const { scope, operationId, idempotencyKey } = context;
    const key = idempotencyKey
      ? {
          hash: replay.jobKeyHash(scope, idempotencyKey),
          fingerprint: toFingerprint(operationId, { id }),
        }
      : undefined;
    const earlier = key && (await store.findByKey(key));
    if (earlier) return { job: earlier, repeated: true };
    const { request, parents, priority, labels, group, webhook } = withoutFinished(
      await findRetryable(scope, id),
    );
    const reservation = usage.reservationOf(context.caller, chargedImages(request));
    await store.refuseWhenFull(scope, { ...limits, reservation }, undefined);
    await refuseWithoutInputs(request);
    const draft = {
      request: toGenerationRequest(request, toStoredSources(request)),
      parents,
      toJobRequest: () => request,
      priority,
      labels,
      group,
      webhook: webhooks.toRetryTarget(webhook),
      retryOf: id,
    };
    return acceptJob(draft, context, { ...(key && { key }), place });
  };
}

/**
 * Subtracts the images that the job finished from the number of requested images. Throws `job_succeeded` if no image is left to
 * make.
 */
function withoutFinished({ request, partialResult, ...job }: JobRecord): JobRecord {
  const n = request.parameters.n - (partialResult?.data.length ?? 0);
  if (n > 0) return { ...job, request: { ...request, parameters: { ...request.parameters, n } } };
  throw new BridgeError(
    'job_succeeded',
    'all images of the job are already finished; see `partial_result`',
  );
}

/**
 * Returns the request in the form in which a job stores it: without the idempotency key, with `artifact` as the response format,
 * and with its images identified by checksum.
 */
function toStoredRequest(request: AnyImageRequest, inputs: InputSet<StoredImage>): JobRequest {
  const { idempotency_key: _, images, mask, reference_images, output, ...rest } = request;
  return {
    ...rest,
    output: { ...output, response_format: 'artifact' },
    images: toStored(images, inputs.images),
    // The mask of a canvas is made by the bridge, so the request may contain no mask.
    mask: toStored([mask ?? {}], inputs.mask ? [inputs.mask] : [])[0] ?? null,
    reference_images: toStored(reference_images, inputs.references),
  };
}

function toStored(
  named: readonly { readonly filename?: string | undefined }[],
  images: readonly StoredImage[],
): StoredInput[] {
  return images.map((image, index) => toStoredInput(image, named[index]?.filename));
}

// The maximum size of a result without its outputs: both parameter sets, normalizations, attempts, usage, timings, or an error.
const RESULT_BYTES = 16_384;
// The maximum size of one delivered image with its revised prompt, or of one failure with its suggestions.
const OUTPUT_BYTES = 4096;

/** Returns the number of bytes to reserve in the store for the result of a job with this many images. */
export function reservationFor(outputs: number): number {
  return RESULT_BYTES + outputs * OUTPUT_BYTES;
}
