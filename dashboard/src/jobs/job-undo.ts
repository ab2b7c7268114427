import { type ReadonlySignal, signal } from '@preact/signals';
import { type Api, ApiError, unwrap } from '../api/api.ts';
import type { JobBatchResult } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { Resending } from '../connection/resending.ts';
import type { JsonStorage } from '../shell/stored-json.ts';
import { attempt, type Toasts } from '../shell/toasts.ts';
import type { Undo } from '../shell/undo.ts';
import { text } from '../text/text.ts';
import type { Jobs } from './jobs.ts';
import { createKeptUndo, type Revert } from './kept-undo.ts';

export type JobUndo = ReturnType<typeof createJobUndo>;

interface Deps {
  readonly jobs: Pick<Jobs, 'setHidden' | 'markImage'>;
  readonly toasts: Toasts;
  readonly undo: Undo;
  readonly resending: Pick<Resending, 'untilAccepted'>;
  readonly connection: Pick<Connection, 'token'>;
  /** The storage of this tab. */
  readonly storage: JsonStorage;
}

interface Offer {
  /** More information about the change. */
  readonly detail?: string | undefined;
  /** Undoes the change in this page, in place of the requests. */
  readonly revert?: () => void;
}

/** Offers to undo changes of jobs. After a reload, the page offers the latest undo again. */
export function createJobUndo(api: Api, { undo, connection, storage, ...deps }: Deps) {
  const { undoing, beginRevert } = createReverts(api, deps);
  const kept = createKeptUndo({ connection, storage, nowMs: Date.now });

  function show(done: string, reverts: readonly Revert[], { detail, revert }: Offer = {}): void {
    const run = () => {
      kept.clear();
      if (revert === undefined) beginRevert(reverts);
      else revert();
    };
    undo.offer(done, run, detail);
  }

  const before = kept.read();
  if (before !== undefined) show(before.text, before.reverts);

  return {
    /** The latest undo whose requests this page has begun to send. Resolves when the bridge has answered. */
    undoing,

    /** Shows a message about a change, and offers to undo the change with these requests, which are sent in reverse order. */
    offer(done: string, reverts: readonly Revert[], more?: Offer): void {
      kept.write({ text: done, reverts });
      show(done, reverts, more);
    },
  };
}

/** Undoes changes, one after the other. */
function createReverts(
  api: Api,
  { jobs, toasts, resending: { untilAccepted } }: Pick<Deps, 'jobs' | 'toasts' | 'resending'>,
) {
  const undoing = signal<Promise<void> | undefined>(undefined);

  /** Undoes a batch. Returns the jobs that could not be restored. */
  async function revertBatch(id: string): Promise<JobBatchResult['skipped']> {
    let attempts = 0;
    const send = async () => {
      attempts += 1;
      try {
        return (await unwrap(api.POST('/v1/jobs/batch/{id}/undo', { params: { path: { id } } })))
          .skipped;
      } catch (error) {
        // The reply of an earlier attempt was lost.
        if (attempts > 1 && error instanceof ApiError && error.status === 404) return [];
        throw error;
      }
    };
    return untilAccepted(send);
  }

  /** Undoes one change. Returns the jobs that could not be restored. */
  async function revertOne(revert: Revert): Promise<JobBatchResult['skipped']> {
    if ('batch' in revert) return revertBatch(revert.batch);
    if ('image' in revert) await jobs.markImage(revert.job, revert.image, revert.marks);
    else await jobs.setHidden(revert.job, revert.hidden);
    return [];
  }

  /** Undoes changes, the latest first. Offers to undo those changes again whose requests the bridge refused. */
  async function revertAll(reverts: readonly Revert[]): Promise<void> {
    await attempt(toasts, async () => {
      let count = 0;
      const refused: Revert[] = [];
      for (const revert of reverts.toReversed()) {
        const skipped = await revertOne(revert);
        count += skipped.reduce((sum, one) => sum + one.count, 0);
        if (skipped.some(({ reason }) => reason === 'refused')) refused.unshift(revert);
      }
      if (count === 0) return;
      toasts.show({
        kind: 'failed',
        text: text('batch.undo.skipped', { count }),
        ...(refused.length > 0 && {
          action: { label: text('action.retry'), run: () => beginRevert(refused) },
        }),
      });
    });
  }

  function beginRevert(reverts: readonly Revert[]): void {
    // An earlier change is restored after the later ones, even if both are undone at once.
    undoing.value = (undoing.peek() ?? Promise.resolve()).then(() => revertAll(reverts));
  }

  return { undoing: undoing as ReadonlySignal<Promise<void> | undefined>, beginRevert };
}
