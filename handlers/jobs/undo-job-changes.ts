import { JobBatchPath, JobBatchUndoResult } from '../../lib/contract/resources/job-batch.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/**
 * POST /v1/jobs/batch/{id}/undo: undoes the changes of a batch. The requests of cancelled jobs are queued again as new jobs, and
 * the cancelled jobs that had not started are hidden. Throws `not_found`.
 */
export const handler = operation<'jobBatches'>()({
  id: 'undoJobChanges',
  summary: 'Undo a change of many jobs',
  protection: 'jobs',
  request: { path: JobBatchPath },
  reply: {
    status: 200,
    description: 'The numbers of restored and skipped jobs.',
    body: JobBatchUndoResult,
  },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, context, services }) =>
    ok(await services.jobBatches.undo(path.id, context)),
});
