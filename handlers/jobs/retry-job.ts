import { IdempotencyHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { ImageJob, JobPath } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/jobs/{id}/retry: creates a job with the request of a job that did not succeed. */
export const handler = operation<'jobs'>()({
  id: 'retryJob',
  summary: 'Retry a job that failed, was cancelled or was interrupted',
  protection: 'jobs',
  request: { path: JobPath, headers: IdempotencyHeaders },
  reply: {
    status: 202,
    description: 'The new job, with the input images of the earlier job.',
    body: ImageJob,
    headers: {
      location: 'The URL of the new job.',
      'idempotent-replayed':
        'Present and `true` if an earlier equal request with the key created the job.',
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
