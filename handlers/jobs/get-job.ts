import { ImageJob, JobPath, JobQuery } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}: returns the job immediately. With `wait_ms`, waits for the end of the job first. Throws `not_found`. */
export const handler = operation<'jobs'>()({
  id: 'getJob',
  summary: 'Read a job, or wait for its end',
  protection: 'read',
  request: { path: JobPath, query: JobQuery },
  reply: { status: 200, description: 'The current state of the job.', body: ImageJob },
  errors: ['not_found'],
  handle: async ({ path, query, context, services }) =>
    ok(await services.jobs.find(context.scope, path.id, query.wait_ms ?? 0, context.signal())),
});
