import { IdempotencyHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { JobBatch, JobBatchResult } from '../../lib/contract/resources/job-batch.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/jobs/batch: cancels, hides, restores, marks, labels or moves many jobs. Throws `count_differs`. */
export const handler = operation<'jobBatches'>()({
  id: 'changeJobs',
  summary: 'Change many jobs',
  protection: 'jobs',
  request: { headers: IdempotencyHeaders, body: JobBatch },
  reply: {
    status: 200,
    description: 'The numbers of changed and skipped jobs, and the id for undoing the changes.',
    body: JobBatchResult,
    headers: {
      'idempotent-replayed':
        'Present and `true` if an earlier equal request with the key changed the jobs.',
    },
  },
  errors: ['count_differs', 'overloaded'],
  async handle({ body, context, services }) {
    const { scope, idempotencyKey: key } = context;
    const { result, replayed } = await services.jobBatches.change({
      scope,
      body,
      key,
      signal: context.signal(),
    });
    return ok(result, replayed ? REPLAYED : {});
  },
});
