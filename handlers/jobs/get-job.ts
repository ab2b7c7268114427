import { ImageJob, JobPath, JobQuery } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}: at once, or with `wait_ms` as soon as the job has ended. Throws `not_found`. */
export const handler = operation<'jobs'>()({
  id: 'getJob',
  summary: 'Read a job, or wait for it',
  protection: 'read',
  request: { path: JobPath, query: JobQuery },
  reply: { status: 200, description: 'The job as it is.', body: ImageJob },
  errors: ['not_found'],
  handle: async ({ path, query, context, services }) =>
    ok(await services.jobs.find(context.scope, path.id, query.wait_ms ?? 0, context.signal())),
});
