import type { RequestContext } from '../../contract/request/request-context.ts';
import type { JobRequest } from '../../contract/resources/job.ts';
import type { Generation } from '../../generation/generation.ts';
import type { GenerationRequest } from '../../generation/generation-request.ts';
import { factsOf, type InputSet, mapInputs, toList } from '../../inputs/input-source.ts';
import type { StoredImage, StoredInputs } from '../../inputs/stored-inputs.ts';
import type { InputVerifier } from '../../inputs/verify-inputs.ts';
import { type Clock, nowSecs } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Usage } from '../../usage/usage.ts';
import type { JobQueue } from '../job-queue.ts';
import type { JobSearch } from '../job-search-port.ts';
import type { JobAdmission, JobRecord, JobStore, NewJob } from '../job-store-port.ts';
import { reservationFor } from './job-reservation.ts';

interface Deps {
  readonly store: Pick<JobStore, 'submit'>;
  readonly generation: Pick<Generation, 'plan'>;
  readonly verifier: InputVerifier;
  readonly inputs: Pick<StoredInputs, 'keepFor'>;
  readonly usage: Pick<Usage, 'reservationOf'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newUuid'>;
  readonly queue: Pick<JobQueue, 'wake'>;
  readonly search: Pick<JobSearch, 'added'>;
}

/** What a job needs of the request that submits it. */
export type SubmitContext = Pick<
  RequestContext,
  'operationId' | 'scope' | 'caller' | 'requestId' | 'idempotencyKey' | 'signal'
>;

/** A job that was accepted, now or under the same key before. */
export interface Submitted {
  readonly job: JobRecord;
  readonly repeated: boolean;
}

/** A job that is not planned yet, and whose images are not verified. */
interface JobDraft extends Pick<NewJob, 'priority' | 'retryOf' | 'webhook'> {
  readonly request: GenerationRequest;
  toJobRequest(images: InputSet<StoredImage>): JobRequest;
}

export type AcceptJob = ReturnType<typeof createAcceptJob>;

/** The way into the queue for every job, wherever its request comes from. */
export function createAcceptJob({
  store,
  generation,
  verifier,
  inputs,
  usage,
  clock,
  ids,
  queue,
  search,
}: Deps) {
  /**
   * Resolves once the job is durably queued. Throws `overloaded`, `rate_limited`, `idempotency_conflict`, `input`, `artifact`,
   * `unsupported_capability`, `session_not_found`, or the signal's reason.
   */
  return async function acceptJob(
    { request, toJobRequest, ...more }: JobDraft,
    context: SubmitContext,
    admission: Omit<JobAdmission, 'reservation'>,
  ): Promise<Submitted> {
    const { scope, caller, requestId } = context;
    const signal = context.signal();
    // Before the images are decoded; what they are like may refuse the request as well.
    const planned = await generation.plan(request, context);
    const images = await verifier.verify(request.inputs, { scope, signal });
    const hasImages = toList(images).length > 0;
    const route = hasImages
      ? await generation.plan(request, context, mapInputs(images, factsOf))
      : planned;
    const job = {
      ...route,
      ...more,
      id: ids.newUuid(),
      scope,
      requestId,
      createdSecs: nowSecs(clock),
      request: toJobRequest(images),
      reservedBytes: reservationFor(request.parameters.n),
    };
    const reservation = usage.reservationOf(caller, request.parameters.n);
    const submitted = await inputs.keepFor(toList(images), signal, () =>
      store.submit(job, { ...admission, reservation }),
    );
    if (submitted.repeated) return submitted;
    // Not left to the request, whose client may have disconnected.
    queue.wake();
    search.added(1);
    return submitted;
  };
}
