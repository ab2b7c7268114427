import { toIdempotencyKey } from '../../contract/request/idempotency-key.ts';
import type { AnyImageRequest } from '../../contract/request/image-request.ts';
import type { Webhook } from '../../contract/resources/job.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import {
  type GenerationRequest,
  toFingerprintedRequest,
  toGenerationRequest,
} from '../../generation/generation-request.ts';
import type { JobAttach } from '../../image-requests/retry-attach.ts';
import { identifyInputs } from '../../inputs/input-identities.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { StoredImage } from '../../inputs/stored-inputs.ts';
import { toInputSources } from '../../inputs/to-input-sources.ts';
import { toFingerprint } from '../../platform/fingerprint.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import type { Usage } from '../../usage/usage.ts';
import type { WebhookTargets } from '../../webhooks/webhook-targets.ts';
import type { JobLimits, JobRecord, JobStore } from '../job-store-port.ts';
import type { AcceptJob, SubmitContext, Submitted } from './accept-job.ts';
import { toKeyHash } from './job-key.ts';
import { toJobRequest } from './job-request.ts';

interface Deps {
  readonly store: Pick<JobStore, 'refuseWhenFull' | 'findByKey' | 'find'>;
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

  /** The job of an earlier request of the client, as it now is, or the one that `accept` makes. */
  async function attached(
    { attach }: JobAttach,
    { scope, fingerprint }: { readonly scope: string; readonly fingerprint: string },
    accept: (signal: AbortSignal) => Promise<Submitted>,
  ): Promise<Submitted> {
    const { value: id, replayed } = await attach(
      fingerprint,
      async (signal) => (await accept(signal)).job.id,
      async (earlier) => isRepeatable(await store.find(scope, earlier)),
    );
    const job = await store.find(scope, id);
    if (job === undefined) throw new BridgeError('not_found', 'there is no such job');
    return { job, repeated: replayed };
  }

  /**
   * Resolves once the job is durably queued. A request that no route can serve, or that has an invalid image, is refused
   * now. With a key, `attach` is not used. Throws what `acceptJob` throws.
   */
  return async function submitJob(
    { priority = 0, webhook: named, ...sent }: JobSubmission,
    context: SubmitContext,
    attach?: JobAttach,
  ): Promise<Submitted> {
    const webhook = webhooks.toTarget(named);
    const sentKey = toIdempotencyKey(sent.idempotency_key, context.idempotencyKey);
    const hash = sentKey === undefined ? undefined : toKeyHash(secret, context.scope, sentKey);
    const isRetry = hash === undefined && attach?.isRetry === true;
    // Before the images are decoded; the transaction that adds the job checks again. A retry may have its job already.
    const reservation = usage.reservationOf(context.caller, sent.parameters.n);
    if (!isRetry) await store.refuseWhenFull(context.scope, { ...limits, reservation }, hash);
    const sources = toInputSources(sent, deps.maxInputBytes);
    const request = toGenerationRequest(sent, await slices.run(sources, context.signal()));
    const draft = {
      request,
      priority,
      webhook,
      toJobRequest: (images: InputSet<StoredImage>) => toJobRequest(sent, images),
    };
    const fingerprinted = () => fingerprintOf({ ...sent, webhook: named }, request, context);
    if (hash === undefined) {
      if (!attach) return acceptJob(draft, context, limits);
      const identity = { scope: context.scope, fingerprint: await fingerprinted() };
      return attached(attach, identity, (signal) =>
        acceptJob(draft, { ...context, signal: () => signal }, limits),
      );
    }
    const key = { hash, fingerprint: await fingerprinted() };
    const earlier = await store.findByKey(key);
    if (earlier) return { job: earlier, repeated: true };
    return acceptJob(draft, context, { ...limits, key });
  };
}

/** True if a client that repeats its request gets a new job: the earlier one failed, and nothing was or may have been paid for. */
function isRepeatable(job: JobRecord | undefined): boolean {
  if (job === undefined) return true;
  const { outcome, succeeded_outputs: made } = job.error?.details ?? {};
  return job.status === 'failed' && outcome !== 'unknown' && made === undefined;
}
