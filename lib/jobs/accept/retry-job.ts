import { inputsOf, type JobRequest } from '../../contract/resources/job.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { toGenerationRequest } from '../../generation/generation-request.ts';
import { badInput } from '../../inputs/bad-input.ts';
import { toList } from '../../inputs/input-source.ts';
import { toStoredSources } from '../../inputs/to-input-sources.ts';
import { toFingerprint } from '../../platform/fingerprint.ts';
import type { Usage } from '../../usage/usage.ts';
import type { WebhookTargets } from '../../webhooks/webhook-targets.ts';
import { isTerminal } from '../job-state.ts';
import type { JobLimits, JobRecord, JobStore } from '../job-store-port.ts';
import type { AcceptJob, SubmitContext, Submitted } from './accept-job.ts';
import { toKeyHash } from './job-key.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'findByKey' | 'needsInput' | 'refuseWhenFull'>;
  readonly acceptJob: AcceptJob;
  readonly usage: Pick<Usage, 'reservationOf'>;
  readonly webhooks: Pick<WebhookTargets, 'toRetryTarget'>;
  /** Made with the database; keys the hashes of idempotency keys. */
  readonly secret: Uint8Array;
  readonly limits: JobLimits;
}

/** Makes a new job of one that ended without success. */
export function createRetryJob({ store, acceptJob, usage, webhooks, secret, limits }: Deps) {
  async function findRetryable(scope: string, id: string): Promise<JobRecord> {
    const job = await store.find(scope, id);
    if (job === undefined) throw new BridgeError('not_found', 'there is no such job');
    if (!isTerminal(job.status)) {
      throw new BridgeError('job_not_terminal', 'a job can be retried once it has ended');
    }
    if (job.status === 'succeeded') {
      throw new BridgeError('job_succeeded', 'a job that has succeeded is not retried');
    }
    return job;
  }

  /** The images of jobs that ended before schema 12 were not kept. Throws `input`. */
  async function refuseWithoutInputs(request: JobRequest): Promise<void> {
    const sources = toList(toStoredSources(request));
    for (const [index, { sha256 }] of inputsOf(request).entries()) {
      const field = sources[index]?.field ?? 'images';
      if (!(await store.needsInput(sha256))) throw badInput(field, field, 'not_stored_any_more');
    }
  }

  /**
   * Resolves once the new job is durably queued. An equal request under the key of an earlier one gets that one's job.
   * Throws `not_found`, `job_not_terminal`, `job_succeeded`, and what `acceptJob` throws.
   */
  return async function retryJob(id: string, context: SubmitContext): Promise<Submitted> {
    const { scope, operationId, idempotencyKey } = context;
    const key = idempotencyKey && {
      hash: toKeyHash(secret, scope, idempotencyKey),
      fingerprint: toFingerprint(operationId, { id }),
    };
    const earlier = key && (await store.findByKey(key));
    if (earlier) return { job: earlier, repeated: true };
    const { request, priority, webhook } = withoutFinished(await findRetryable(scope, id));
    const reservation = usage.reservationOf(context.caller, request.parameters.n);
    await store.refuseWhenFull(scope, { ...limits, reservation }, undefined);
    await refuseWithoutInputs(request);
    return acceptJob(
      {
        request: toGenerationRequest(request, toStoredSources(request)),
        toJobRequest: () => request,
        priority,
        webhook: webhooks.toRetryTarget(webhook),
        retryOf: id,
      },
      context,
      key ? { ...limits, key } : limits,
    );
  };
}

/** The same job without the images that it had finished. Throws `job_succeeded` when that is all of them. */
function withoutFinished({ request, partialResult, ...job }: JobRecord): JobRecord {
  const n = request.parameters.n - (partialResult?.data.length ?? 0);
  if (n > 0) return { ...job, request: { ...request, parameters: { ...request.parameters, n } } };
  throw new BridgeError('job_succeeded', 'every image of the job was made: see its partial_result');
}
