import { JobFamily } from '../../lib/contract/resources/family.ts';
import { JobPath } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}/family: lists the jobs that are related to a job by their images, nearest first. Throws `not_found`. */
export const handler = operation<'jobFamilies'>()({
  id: 'getJobFamily',
  summary: 'List the family of a job',
  protection: 'read',
  request: { path: JobPath },
  reply: { status: 200, description: 'The nearest jobs of the family.', body: JobFamily },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, context, services }) =>
    ok(await services.jobFamilies.family(context.scope, path.id)),
});
