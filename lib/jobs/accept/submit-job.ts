import { toIdempotencyKey } from '../../contract/request/idempotency-key.ts';
import type { AnyImageRequest } from '../../contract/request/image-request.ts';
import type { Webhook } from '../../contract/resources/job.ts';
import { toFingerprintedRequest } from '../../generation/fingerprinted-request.ts';
import {
  type GenerationRequest,
  toGenerationRequest,
} from '../../generation/generation-request.ts';
import { identifyInputs } from '../../inputs/input-identities.ts';
import { toInputSources } from '../../inputs/to-input-sources.ts';
import { toFingerprint } from '../../platform/fingerprint.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import type { Usage } from '../../usage/usage.ts';
import type { WebhookTargets } from '../../webhooks/webhook-targets.ts';
import type { JobLimits, JobStore } from '../job-store-port.ts';
import type { AcceptJob, SubmitContext, Submitted } from './accept-job.ts';
import { toKeyHash } from './job-key.ts';
import { toJobRequest } from './job-request.ts';

interface Deps {
  readonly store: Pick<JobStore, 'refuseWhenFull' | 'findByKey'>;
  readonly acceptJob: AcceptJob;
  readonly slices: TimeSlices;
  readonly usage: Pick<Usage, 'reservationOf'>;
  readonly webhooks: Pick<WebhookTargets, 'toTarget'>;
  /** Made with the database; keys the hashes of idempotency keys. */
  readonly secret: Uint8Array;
  readonly limits: JobLimits;
  /** `inputs.max_bytes_each`. */
  readonly maxInputBytes: number;
}

/** A request of any wire. */
export type JobSubmission = AnyImageRequest & {
  readonly priority?: number;
  readonly webhook?: Webhook | undefined;
};

/** Makes a job of a request, or finds out why that cannot be. */
export function createSubmitJob({
  store,
  acceptJob,
  slices,
  usage,
  webhooks,
  secret,
  limits,
  ...deps
}: Deps) {
  async function fingerprintOf(
    { webhook, ...sent }: Omit<JobSubmission, 'priority'>,
    { inputs }: GenerationRequest,
    { operationId, signal }: SubmitContext,
  ): Promise<string> {
    const identities = await identifyInputs(inputs, slices, signal());
    const fingerprinted = toFingerprintedRequest(sent, inputs, identities);
    // Without one, the fingerprint is that of requests from before there were webhooks.
    return toFingerprint(operationId, webhook ? { ...fingerprinted, webhook } : fingerprinted);
  }

  /**
   * Resolves once the job is durably queued. A request that no route can serve, or that has an invalid image, is refused
   * now. Throws what `acceptJob` throws.
   */
  return async function submitJob(
    { priority = 0, webhook: named, ...sent }: JobSubmission,
    context: SubmitContext,
  ): Promise<Submitted> {
    const webhook = webhooks.toTarget(named);
    const sentKey = toIdempotencyKey(sent.idempotency_key, context.idempotencyKey);
    const hash = sentKey === undefined ? undefined : toKeyHash(secret, context.scope, sentKey);
    // Before the images are decoded; the transaction that adds the job checks again.
    const reservation = usage.reservationOf(context.caller, sent.parameters.n);
    await store.refuseWhenFull({ ...limits, reservation }, hash);
    const sources = toInputSources(sent, deps.maxInputBytes);
    const request = toGenerationRequest(sent, await slices.run(sources, context.signal()));
    const key = hash && {
      hash,
      fingerprint: await fingerprintOf({ ...sent, webhook: named }, request, context),
    };
    const earlier = key && (await store.findByKey(key));
    if (earlier) return { job: earlier, repeated: true };
    return acceptJob(
      { request, priority, webhook, toJobRequest: (images) => toJobRequest(sent, images) },
      context,
      key ? { ...limits, key } : limits,
    );
  };
}
