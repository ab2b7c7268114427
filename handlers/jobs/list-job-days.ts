import { JobDays, JobDaysQuery } from '../../lib/contract/resources/job-history.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/days: counts the jobs of the caller by the day of their acceptance. */
export const handler = operation<'jobHistory'>()({
  id: 'listJobDays',
  summary: 'Count jobs by day',
  protection: 'read',
  request: { query: JobDaysQuery },
  reply: { status: 200, description: 'The days with jobs.', body: JobDays },
  errors: ['overloaded'],
  handle: async ({ query, context, services }) =>
    ok(await services.jobHistory.days(context.scope, query, context.signal())),
});
