import { isTerminal } from '../contract/resources/job.ts';
import {
  type BatchAction,
  type JobBatch,
  type JobBatchUndoResult,
  MAX_SKIPPED_IDS,
  type SkipReason,
} from '../contract/resources/job-batch.ts';
import { MAX_LABELS } from '../contract/resources/label.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { JobBefore } from './job-batch-store-port.ts';
import type { JobStore, JobSummary } from './job-store-port.ts';

/** The state of a job on which its change depends. */
export type Target = Pick<
  JobSummary,
  'id' | 'status' | 'favorite' | 'labels' | 'priority' | 'cancelRequested'
> & { readonly deletedSecs?: number | undefined };

/** The result for one job: its values before the change, or the reason for which the job was not changed. */
export type Change =
  | { readonly before: JobBefore }
  | { readonly id: string; readonly reason: SkipReason };

/** The properties of a job that a batch changes, except by a cancellation. */
export type Marks = Pick<
  Parameters<JobStore['update']>[2],
  'favorite' | 'deleted' | 'labels' | 'priority'
>;

/** The marks that an undo sets, in addition to the earlier labels and priority. */
export const UNDONE: Readonly<Record<Exclude<BatchAction, 'cancel'>, Marks>> = {
  hide: { deleted: false },
  restore: { deleted: true },
  favorite: { favorite: false },
  unfavorite: { favorite: true },
  label: {},
  priority: {},
};

/**
 * Returns the change that an action makes to a job, or the reason for which the action does not change the job. Returns undefined
 * if the action cancels the job.
 */
export function marksFor(target: Target, body: JobBatch): Marks | SkipReason | undefined {
  const { status, favorite, deletedSecs } = target;
  switch (body.action) {
    case 'cancel':
      if (isTerminal(status)) return 'ended';
      return target.cancelRequested ? 'unchanged' : undefined;
    case 'hide':
      if (!isTerminal(status)) return 'not_ended';
      return deletedSecs === undefined ? { deleted: true } : 'unchanged';
    case 'restore':
      return deletedSecs === undefined ? 'unchanged' : { deleted: false };
    case 'favorite':
    case 'unfavorite': {
      const isWanted = body.action === 'favorite';
      return favorite === isWanted ? 'unchanged' : { favorite: isWanted };
    }
    case 'label': {
      const kept = target.labels.filter((label) => !body.remove_labels.includes(label));
      const labels = [...new Set([...kept, ...body.add_labels])];
      if (labels.length > MAX_LABELS) return 'too_many_labels';
      return labels.join('\n') === target.labels.join('\n') ? 'unchanged' : { labels };
    }
    case 'priority':
      if (status !== 'queued') return 'not_queued';
      return target.priority === body.priority ? 'unchanged' : { priority: body.priority };
  }
}

/** Returns the values that an undo restores. The values of other marks follow from the action. */
export function toBefore({ id, labels, priority }: Target, change: Marks): JobBefore {
  return {
    id,
    ...(change.labels === undefined ? {} : { labels }),
    ...(change.priority === undefined ? {} : { priority }),
  };
}

/** Returns the numbers of changed and skipped jobs. */
export function toResult(changes: readonly Change[]): JobBatchUndoResult {
  const skipped = new Map<SkipReason, string[]>();
  for (const one of changes) {
    if ('before' in one) continue;
    const same = skipped.get(one.reason) ?? [];
    same.push(one.id);
    skipped.set(one.reason, same);
  }
  return {
    done: changes.filter((one) => 'before' in one).length,
    skipped: [...skipped].map(([reason, same]) => ({
      reason,
      count: same.length,
      ids: same.slice(0, MAX_SKIPPED_IDS),
    })),
  };
}

/** Returns only the state, because a batch keeps up to 10,000 jobs in memory. */
export function toTarget(job: JobSummary): Target {
  const { id, status, favorite, labels, priority, cancelRequested, deletedSecs } = job;
  return { id, status, favorite, labels, priority, cancelRequested, deletedSecs };
}

/** Returns the reason for which a job was not changed. Throws any other error. */
export function reasonOf(error: unknown): SkipReason {
  if (error instanceof BridgeError) {
    // The job has started or was restored since it was read.
    if (error.code === 'job_not_terminal') return 'not_ended';
    if (error.code === 'job_not_queued') return 'not_queued';
  }
  throw error;
}

/** The reason for which a cancelled job was not queued again, by the code of the error. */
export const RETRY_REASONS: Readonly<Record<string, SkipReason>> = {
  not_found: 'not_found',
  job_not_terminal: 'not_ended',
  job_succeeded: 'ended',
};

/** Returns true if the request of a cancelled job could not be queued again, but may be queued later. */
export function isRefused(change: Change): change is Extract<Change, { readonly id: string }> {
  return 'reason' in change && change.reason === 'refused';
}
