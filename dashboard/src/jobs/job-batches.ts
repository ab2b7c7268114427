import { type Api, ApiError, unwrap } from '../api/api.ts';
import type { JobBatch, JobBatchResult } from '../api/schemas.ts';
import type { Resending } from '../connection/resending.ts';
import { randomId } from '../make/draft.ts';
import { attempt, type Toasts } from '../shell/toasts.ts';
import { type TextKey, text } from '../text/text.ts';
import { type JobFilter, toJobQuery } from './job-filter.ts';
import type { JobUndo } from './job-undo.ts';

/** The maximum number of ids in one request. */
const MAX_IDS = 1000;

/** The maximum number of jobs that the bridge changes at once. */
export const MAX_JOBS = 10_000;

export type JobBatches = ReturnType<typeof createJobBatches>;

/** The labels that jobs lose, and then the labels that they get. */
export interface LabelChange {
  readonly remove?: readonly string[];
  readonly add?: readonly string[];
}

/** Returns a change of labels as a batch without its jobs. */
export function toLabelBatch({ remove = [], add = [] }: LabelChange) {
  return { action: 'label' as const, remove_labels: [...remove], add_labels: [...add] };
}

interface Deps {
  readonly toasts: Toasts;
  readonly jobUndo: Pick<JobUndo, 'offer'>;
  readonly resending: Pick<Resending, 'untilAccepted'>;
}

/** Changes many jobs with few requests. Each change gives one answer, with one undo. */
export function createJobBatches(api: Api, { toasts, jobUndo, resending }: Deps) {
  const { untilAccepted } = resending;

  /** Sends a change until the bridge answers. The key makes the bridge repeat its first answer, which has the id for the undo. */
  function send(body: JobBatch): Promise<JobBatchResult> {
    const params = { header: { 'idempotency-key': randomId() } };
    return untilAccepted(() => unwrap(api.POST('/v1/jobs/batch', { params, body })));
  }

  /** Shows what was done, with an undo, and what was not done, with the reasons, in one message. Returns true if all jobs are as wanted. */
  function report(results: readonly JobBatchResult[], done: TextKey | undefined): boolean {
    const count = results.reduce((sum, result) => sum + result.done, 0);
    const skipped = skippedOf(results);
    if (done !== undefined && count > 0) {
      const reverts = results.flatMap(({ undo }) => (undo ? [{ batch: undo.id }] : []));
      jobUndo.offer(text(done, { count }), reverts, { detail: toSkippedText(skipped) });
    } else if (skipped.size > 0) {
      toasts.show({ kind: 'refused', text: toSkippedText(skipped) ?? '' });
    } else if (done !== undefined && results.length > 0) {
      toasts.show({ kind: 'refused', text: text('batch.nothing') });
    }
    return skipped.size === 0;
  }

  return {
    /**
     * Changes the jobs with these ids. Shows the text `done` with the number of changed jobs, or no such text if `done` is undefined.
     * A failure is shown, and nothing is thrown. Resolves with true if all jobs are as wanted.
     */
    async change(
      body: Omit<JobBatch, 'ids' | 'filter' | 'expected_count'>,
      ids: readonly string[],
      done?: TextKey,
    ): Promise<boolean> {
      const results: JobBatchResult[] = [];
      let isAnswered = false;
      await attempt(toasts, async () => {
        for (let from = 0; from < ids.length; from += MAX_IDS) {
          results.push(await send({ ...body, ids: ids.slice(from, from + MAX_IDS) }));
        }
        isAnswered = true;
      });
      return report(results, done) && isAnswered;
    },

    /**
     * Changes all jobs under a filter with one request. `differing` is the number of matching jobs if more than `expected` match; no
     * job is changed then. Any other failure is shown, and nothing is thrown. `isDone` is true if all jobs are as wanted.
     */
    async changeAll(
      body: Omit<JobBatch, 'ids' | 'filter' | 'expected_count'>,
      { filter, expected }: { readonly filter: JobFilter; readonly expected: number },
      done: TextKey,
    ): Promise<{ readonly isDone: boolean; readonly differing: number | undefined }> {
      let isDone = false;
      let differing: number | undefined;
      await attempt(toasts, async () => {
        try {
          const change = { ...body, filter: toJobQuery(filter), expected_count: expected };
          isDone = report([await send(change)], done);
        } catch (error) {
          differing = differingCount(error);
          if (differing === undefined) throw error;
        }
      });
      return { isDone, differing };
    },
  };
}

type SkipReason = JobBatchResult['skipped'][number]['reason'];

/** Returns the number of skipped jobs by reason, without the jobs that already were as wanted. */
function skippedOf(results: readonly JobBatchResult[]): ReadonlyMap<SkipReason, number> {
  const counts = new Map<SkipReason, number>();
  for (const { reason, count } of results.flatMap((result) => result.skipped)) {
    if (reason !== 'unchanged') counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return counts;
}

/** Describes the skipped jobs, with a number for each of several reasons. */
function toSkippedText(skipped: ReadonlyMap<SkipReason, number>): string | undefined {
  if (skipped.size === 0) return undefined;
  const count = [...skipped.values()].reduce((sum, one) => sum + one, 0);
  const reasons = [...skipped].map(([key, number]) => {
    const reason = text(`batch.skipped.${key}`);
    return skipped.size === 1 ? reason : text('batch.skipped.each', { number, reason });
  });
  return [text('batch.skipped', { count }), ...reasons].join(' ');
}

/** Returns the number of matching jobs in a `count_differs` error. */
function differingCount(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.reason !== 'count_differs') return undefined;
  const { count } = error.details;
  return typeof count === 'number' ? count : undefined;
}
