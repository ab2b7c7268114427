import { JobListQuery, JobPage } from '../../lib/contract/resources/job.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs: lists the jobs of the caller, newest first. */
export const handler = operation<'jobLists'>()({
  id: 'listJobs',
  summary: 'List and search jobs',
  protection: 'read',
  request: { query: JobListQuery },
  reply: { status: 200, description: 'One page of jobs.', body: JobPage },
  errors: ['overloaded'],
  handle: async ({ query, context, services }) =>
    ok(await services.jobLists.list(context.scope, query, context.signal())),
});
