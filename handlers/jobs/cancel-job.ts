import { ImageJob, JobCancelQuery, JobPath } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** DELETE /v1/jobs/{id}: cancels the job. An ended job stays unchanged. Throws `not_found`. */
export const handler = operation<'jobs'>()({
  id: 'cancelJob',
  summary: 'Cancel a job',
  protection: 'jobs',
  request: { path: JobPath, query: JobCancelQuery },
  reply: { status: 200, description: 'The job after the cancellation.', body: ImageJob },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, query, context, services }) =>
    ok(await services.jobs.cancel(context.scope, path.id, query.in_flight)),
});
