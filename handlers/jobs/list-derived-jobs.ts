import { DerivedJobPage } from '../../lib/contract/resources/family.ts';
import { JobPath } from '../../lib/contract/resources/job.ts';
import { PageQuery } from '../../lib/contract/schema/page.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/{id}/derived: lists the jobs that used an image of a job, newest first. Throws `not_found`. */
export const handler = operation<'jobFamilies'>()({
  id: 'listDerivedJobs',
  summary: 'List the jobs that used an image of a job',
  protection: 'read',
  request: { path: JobPath, query: PageQuery },
  reply: { status: 200, description: 'One page of jobs.', body: DerivedJobPage },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, query, context, services }) =>
    ok(await services.jobFamilies.derived(context.scope, path.id, query)),
});
