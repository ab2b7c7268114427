import { IdempotencyHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { ImageJob, JobCreate } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/jobs: accepts one request and replies when the job is durably queued. */
export const handler = operation<'jobs'>()({
  id: 'createJob',
  summary: 'Queue a request as a durable job',
  protection: 'jobs',
  request: { headers: IdempotencyHeaders, body: JobCreate },
  reply: {
    status: 202,
    description: 'The queued job, which survives restarts.',
    body: ImageJob,
    headers: {
      location: 'The URL of the job.',
      'idempotent-replayed':
        'Present and `true` if an earlier equal request with the key created the job.',
    },
  },
  errors: [
    'input',
    'unsupported_capability',
    'session_not_found',
    'idempotency_conflict',
    'rate_limited',
    'overloaded',
    'artifact',
    'configuration',
  ],
  async handle({ body, context, services }) {
    const { job, replayed } = await services.jobs.submit(body, context);
    return ok(job, { location: `/v1/jobs/${job.id}`, ...(replayed ? REPLAYED : {}) });
  },
});
