import * as v from 'valibot';

/** Converts rows to the queues of webhooks. */
export const QueueRows = v.array(v.object({ host: v.string(), dueMs: v.number() }));
/** Converts rows to webhooks that are due. */
export const DueRows = v.array(
  v.object({
    sequence: v.number(),
    jobId: v.string(),
    scope: v.string(),
    url: v.string(),
    attempts: v.number(),
  }),
);
