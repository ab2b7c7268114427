import { ImageJob, JobPatch, JobPath } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** PATCH /v1/jobs/{id}: marks, labels, moves, hides or restores a job. Throws `not_found`, `job_not_terminal`, `job_not_queued`. */
export const handler = operation<'jobs'>()({
  id: 'updateJob',
  summary: 'Mark, label, move, hide or restore a job',
  protection: 'jobs',
  request: { path: JobPath, body: JobPatch },
  reply: { status: 200, description: 'The changed job.', body: ImageJob },
  errors: ['not_found', 'job_not_terminal', 'job_not_queued', 'overloaded'],
  handle: async ({ path, body, context, services }) =>
    ok(await services.jobs.update(context.scope, path.id, body)),
});
