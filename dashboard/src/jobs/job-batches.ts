import { type Api, unwrap } from '../api/api.ts';
import type { JobBatch, JobBatchResult } from '../api/schemas.ts';
import { attempt, type Toasts } from '../shell/toasts.ts';
import type { Undo } from '../shell/undo.ts';
import { type TextKey, text } from '../text/text.ts';

/** The maximum number of ids in one request. */
const MOST_IDS = 1000;

export type JobBatches = ReturnType<typeof createJobBatches>;

/** Changes many jobs with few requests. Each change gives one answer, with one undo. */
export function createJobBatches(
  api: Api,
  { toasts, undo }: { readonly toasts: Toasts; readonly undo: Undo },
) {
  const send = (body: JobBatch) => unwrap(api.POST('/v1/jobs/batch', { body }));

  async function revert(results: readonly JobBatchResult[]): Promise<void> {
    await attempt(toasts, async () => {
      let refused = 0;
      // The latest change is undone first.
      for (const { undo: change } of results.toReversed()) {
        if (change === undefined) continue;
        const params = { path: { id: change.id } };
        const { skipped } = await unwrap(api.POST('/v1/jobs/batch/{id}/undo', { params }));
        refused += skipped.reduce((sum, { count }) => sum + count, 0);
      }
      if (refused > 0) {
        toasts.show({ kind: 'failed', text: text('batch.undo.skipped', { count: refused }) });
      }
    });
  }

  /** Shows what was done, with an undo, and what was not done, with the reason that most jobs have. */
  function report(results: readonly JobBatchResult[], done: TextKey | undefined): void {
    const count = results.reduce((sum, result) => sum + result.done, 0);
    const skipped = results
      .flatMap((result) => result.skipped)
      .filter(({ reason }) => reason !== 'unchanged');
    const left = skipped.reduce((sum, one) => sum + one.count, 0);
    if (done !== undefined && count > 0) {
      undo.offer(text(done, { count }), () => void revert(results));
    }
    const [most] = skipped.toSorted((a, b) => b.count - a.count);
    if (most === undefined) return;
    toasts.show({
      kind: 'refused',
      text: text('batch.skipped', { count: left }),
      detail: text(`batch.skipped.${most.reason}`),
    });
  }

  return {
    /**
     * Changes the jobs with these ids. Shows the text `done` with the number of changed jobs, or no such text if `done` is undefined.
     * A failure is shown, and nothing is thrown.
     */
    async change(
      body: Omit<JobBatch, 'ids' | 'filter' | 'expected_count'>,
      ids: readonly string[],
      done?: TextKey,
    ): Promise<void> {
      const results: JobBatchResult[] = [];
      await attempt(toasts, async () => {
        for (let from = 0; from < ids.length; from += MOST_IDS) {
          results.push(await send({ ...body, ids: ids.slice(from, from + MOST_IDS) }));
        }
      });
      report(results, done);
    },
  };
}
