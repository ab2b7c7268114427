import { toIdempotencyKey } from '../contract/request/idempotency-key.ts';
import type { ImageRequest } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { toFingerprintedRequest } from '../generation/fingerprinted-request.ts';
import type { Generation } from '../generation/generation.ts';
import { type GenerationRequest, toGenerationRequest } from '../generation/generation-request.ts';
import { identifyInputs } from '../inputs/input-identities.ts';
import { factsOf, mapInputs, toList } from '../inputs/input-source.ts';
import type { StoredInputs } from '../inputs/stored-inputs.ts';
import { toInputSources } from '../inputs/to-input-sources.ts';
import type { InputVerifier } from '../inputs/verify-inputs.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import type { Ids } from '../platform/ids.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { toKeyHash } from './job-key.ts';
import { toJobRequest } from './job-request.ts';
import { reservationFor } from './job-reservation.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'submit' | 'refuseWhenFull' | 'findByKey'>;
  readonly generation: Pick<Generation, 'plan'>;
  readonly verifier: InputVerifier;
  readonly inputs: Pick<StoredInputs, 'keepFor'>;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly ids: Pick<Ids, 'newUuid'>;
  /** Made with the database; keys the hashes of idempotency keys. */
  readonly secret: Uint8Array;
  /** Of `server.jobs`. */
  readonly limits: { readonly max_pending: number; readonly max_database_bytes: number };
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** What a job needs of the request that submits it. */
export type SubmitContext = Pick<
  RequestContext,
  'operationId' | 'scope' | 'requestId' | 'idempotencyKey' | 'signal'
>;

/** A job that was accepted, now or under the same key before. */
export interface Submitted {
  readonly job: JobRecord;
  readonly repeated: boolean;
}

/** Makes a job of a request, or finds out why that cannot be. */
export function createSubmitJob(deps: Deps) {
  const { store, clock, limits } = deps;
  const most = { maxPending: limits.max_pending, maxDatabaseBytes: limits.max_database_bytes };

  function keyHashOf(sent: ImageRequest, { scope, idempotencyKey }: SubmitContext) {
    const key = toIdempotencyKey(sent.idempotency_key, idempotencyKey);
    return key === undefined ? undefined : toKeyHash(deps.secret, scope, key);
  }

  async function fingerprintOf(
    sent: ImageRequest,
    { inputs }: GenerationRequest,
    { operationId, signal }: SubmitContext,
  ): Promise<string> {
    const identities = await identifyInputs(inputs, deps.slices, signal());
    return toFingerprint(operationId, toFingerprintedRequest(sent, inputs, identities));
  }

  /**
   * Resolves once the job is durably queued. A request that no route can serve, or that has an invalid image, is refused
   * now. Throws `overloaded`, `idempotency_conflict`, `input`, `unsupported_capability`, `session_not_found`, or the signal's
   * reason.
   */
  return async function submitJob(sent: ImageRequest, context: SubmitContext): Promise<Submitted> {
    const { scope, requestId } = context;
    const signal = context.signal();
    const hash = keyHashOf(sent, context);
    // Before the images are decoded; the transaction that adds the job checks again.
    await store.refuseWhenFull(most, hash);
    const sources = toInputSources(sent, deps.maxInputBytes);
    const request = toGenerationRequest(sent, await deps.slices.run(sources, signal));
    const key = hash && { hash, fingerprint: await fingerprintOf(sent, request, context) };
    const earlier = key && (await store.findByKey(key));
    if (earlier) return { job: earlier, repeated: true };
    // Before the images are decoded; what they are like may refuse the request as well.
    await deps.generation.plan(request, context);
    const images = await deps.verifier.verify(request.inputs, { scope, signal });
    const route = await deps.generation.plan(request, context, mapInputs(images, factsOf));
    const all = toList(images);
    const job = {
      ...route,
      id: deps.ids.newUuid(),
      scope,
      requestId,
      createdSecs: nowSecs(clock),
      request: toJobRequest(sent, images),
      reservedBytes: reservationFor(request.parameters.n),
    };
    const admission = key ? { ...most, key } : most;
    return deps.inputs.keepFor(all, signal, () => store.submit(job, admission));
  };
}
