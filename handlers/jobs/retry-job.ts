import { IdempotencyHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { ImageJob, JobPath } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/jobs/{id}/retry: a new job with the request of one that did not succeed. Throws what `createJob` throws. */
export const handler = operation<'jobs'>()({
  id: 'retryJob',
  summary: 'Queue a new job of one that failed, was cancelled or was interrupted',
  protection: 'jobs',
  request: { path: JobPath, headers: IdempotencyHeaders },
  reply: {
    status: 202,
    description: 'The new job. Its images are those of the earlier one.',
    body: ImageJob,
    headers: {
      location: 'The URL of the new job.',
      'idempotent-replayed':
        'Present, and `true`, when an equal request under the key came before.',
    },
  },
  errors: [
    'not_found',
    'job_not_terminal',
    'job_succeeded',
    'rate_limited',
    'input',
    'unsupported_capability',
    'session_not_found',
    'idempotency_conflict',
    'overloaded',
    'artifact',
    'configuration',
  ],
  async handle({ path, context, services }) {
    const { job, replayed } = await services.jobs.retry(path.id, context);
    return ok(job, { location: `/v1/jobs/${job.id}`, ...(replayed ? REPLAYED : {}) });
  },
});
