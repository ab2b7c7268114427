import { JobLabels } from '../../lib/contract/resources/job-history.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/labels: counts the jobs of the caller by their labels. */
export const handler = operation<'jobHistory'>()({
  id: 'listJobLabels',
  summary: 'List the labels of jobs',
  protection: 'read',
  request: {},
  reply: { status: 200, description: 'The most used labels.', body: JobLabels },
  errors: ['overloaded'],
  handle: async ({ context, services }) => ok(await services.jobHistory.labels(context.scope)),
});
