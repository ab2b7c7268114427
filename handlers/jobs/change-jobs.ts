import { JobBatch, JobBatchResult } from '../../lib/contract/resources/job-batch.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/jobs/batch: cancels, hides, restores, marks, labels or moves many jobs. Throws `count_differs`. */
export const handler = operation<'jobBatches'>()({
  id: 'changeJobs',
  summary: 'Change many jobs',
  protection: 'jobs',
  request: { body: JobBatch },
  reply: {
    status: 200,
    description: 'The numbers of changed and skipped jobs, and the id for undoing the changes.',
    body: JobBatchResult,
  },
  errors: ['count_differs', 'overloaded'],
  handle: async ({ body, context, services }) =>
    ok(await services.jobBatches.change(context.scope, body, context.signal())),
});
