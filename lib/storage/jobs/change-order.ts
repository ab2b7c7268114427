/**
 * The number of changes of a scope for which the ids of removed jobs are kept. With four changes for each job, the removals of about
 * 25,000 jobs are kept, in about 5 MB.
 */
export const REMEMBERED_CHANGES = 100_000;

/** Returns the value of `JobStore.changes` for the number of the latest change of a scope. */
export function toChangeOrder(latest: number) {
  return { latest, oldestToResume: Math.max(0, latest - REMEMBERED_CHANGES) };
}
