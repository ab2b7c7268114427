import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { Count, DurationMs } from '../schema/fields.ts';

/** The queue of the jobs of all tokens (beyond.md E). */
export const Queue = v.strictObject({
  paused: documented(
    v.boolean(),
    'A paused queue accepts jobs and starts none. Running ones continue.',
  ),
  queued: Count,
  running: Count,
  oldest_queued_age_ms: documented(
    v.optional(DurationMs),
    'How long ago the first of the queued jobs was accepted, to the second. Absent when none is queued.',
  ),
  by_provider: documented(
    v.record(v.string(), v.strictObject({ queued: Count, running: Count })),
    'Where the jobs are meant to go first: those providers that have any.',
  ),
});
export type Queue = v.InferOutput<typeof Queue>;

export const QueuePatch = closedObject({
  paused: documented(v.boolean(), 'Pauses the queue or resumes it. It stays so after a restart.'),
});
export type QueuePatch = v.InferOutput<typeof QueuePatch>;
