import type { JobBatch } from '../../api/schemas.ts';
import { type LabelChange, MAX_JOBS, toLabelBatch } from '../../jobs/job-batches.ts';
import { countJobs } from '../../jobs/job-counts.ts';
import { createJobFeed, type JobFeed } from '../../jobs/job-feed.ts';
import type { JobFilter } from '../../jobs/job-filter.ts';
import type { Page } from '../../page.ts';
import { attempt } from '../../shell/toasts.ts';
import { type TextKey, text } from '../../text/text.ts';
import type { GalleryState } from '../state/gallery-state.ts';
import type { WholeList } from '../state/selection.ts';

type Change = Extract<
  JobBatch['action'],
  'cancel' | 'hide' | 'restore' | 'favorite' | 'unfavorite' | 'label'
>;

/** The label of each change, and the text about its success. */
const TEXTS = {
  cancel: ['action.cancel', 'gallery.wasCancelled'],
  hide: ['card.hide', 'gallery.wasHidden'],
  restore: ['card.restore', 'gallery.wasRestored'],
  favorite: ['card.favourite', 'gallery.favourited'],
  unfavorite: ['card.unfavourite', 'gallery.unfavourited'],
  label: ['gallery.labels.change', 'labels.added'],
} as const satisfies Record<Change, readonly [TextKey, TextKey]>;

/** A change of labels, and the text about its success. */
interface Labelling {
  readonly change: LabelChange;
  readonly done: TextKey;
}

export type WholeListActions = ReturnType<typeof createWholeListActions>;

/** Creates the actions on all jobs under a filter, of which the page may have read only a part. */
export function createWholeListActions(
  { api, batches, jobs, toasts }: Page,
  { feed, selection }: Pick<GalleryState, 'feed' | 'selection'>,
) {
  /** Counts the jobs of a list. Resolves with undefined after a failure, which is shown. */
  async function count(filter: JobFilter): Promise<WholeList | undefined> {
    let list: WholeList | undefined;
    await attempt(toasts, async () => {
      list = { filter, counts: await countJobs(api, filter) };
    });
    return list;
  }

  /** Replaces the selected list by its counted form. A list without jobs, or one that was not counted, is deselected. */
  function replace(list: WholeList, counted: WholeList | undefined): void {
    if (selection.whole.peek() !== list) return;
    if (counted?.counts?.all) selection.allOf(counted);
    else selection.clear();
  }

  /** Refuses a list with too many jobs, and a list that is still being counted. */
  function isRefused({ counts }: WholeList): boolean {
    if (counts?.isMore) {
      toasts.show({
        kind: 'refused',
        text: text('gallery.all.tooMany', { count: MAX_JOBS }),
        detail: text('gallery.all.tooMany.text'),
      });
    }
    return counts === undefined || counts.isMore;
  }

  /** Asks again with the new number of jobs, because more jobs match than the label of the action said. */
  function ask(list: WholeList, change: Change, matching: number, labelling?: Labelling): void {
    const number = countFor(list, change);
    toasts.show({
      kind: 'refused',
      text: text('gallery.all.changed', { count: matching }),
      ...(number > 0 && {
        action: {
          label: text('gallery.all.action', { action: text(TEXTS[change][0]), count: number }),
          run: () => void apply(list, change, labelling),
        },
      }),
    });
  }

  /** Resolves with true if all jobs are as wanted. */
  async function apply(list: WholeList, change: Change, labelling?: Labelling): Promise<boolean> {
    if (isRefused(list)) return false;
    const { filter, counts } = list;
    // Only jobs that wait are counted for this action, so only they are cancelled.
    const selected =
      change === 'cancel'
        ? { filter: { ...filter, status: 'queued' as const }, expected: counts?.queued ?? 0 }
        : { filter, expected: counts?.all ?? 0 };
    const body = labelling ? toLabelBatch(labelling.change) : { action: change };
    const done = labelling?.done ?? TEXTS[change][1];
    const { isDone, differing } = await batches.changeAll(body, selected, done);
    const next = await count(filter);
    replace(list, next);
    if (differing !== undefined && next !== undefined) ask(next, change, differing, labelling);
    return isDone;
  }

  return {
    /** Selects all jobs under a filter, and counts them. */
    async select(filter: JobFilter): Promise<void> {
      const uncounted = { filter, counts: undefined };
      selection.allOf(uncounted);
      replace(uncounted, await count(filter));
    },

    /** Changes all jobs of a list with one request. If the list has grown, no job is changed, and the page asks again. */
    change: apply,

    /** Adds labels to all jobs of a list, or removes labels, as `change` does. Resolves with true if the jobs have the labels. */
    setLabels: (list: WholeList, change: LabelChange, done: TextKey) =>
      apply(list, 'label', { change, done }),

    /** Changes the labels of those jobs of a list that have a label. Resolves with true if the label is renamed. */
    async renameLabel(list: WholeList, label: string, change: LabelChange): Promise<boolean> {
      const having = await count({ ...list.filter, label });
      if (having === undefined) return false;
      const isDone = await apply(having, 'label', { change, done: 'labels.renamed' });
      replace(list, await count(list.filter));
      return isDone;
    },

    /** Reads all pages of a list. Resolves with the ids of the jobs, or with undefined if the list is too long. */
    async read(list: WholeList): Promise<readonly string[] | undefined> {
      return isRefused(list) ? undefined : readIds({ api, jobs, toasts }, feed.peek());
    },
  };
}

/** Reads the rest of a list. Resolves with the ids of its jobs, or with undefined after a failure, which is shown. */
async function readIds(
  { api, jobs, toasts }: Pick<Page, 'api' | 'jobs' | 'toasts'>,
  shown: JobFeed,
): Promise<readonly string[] | undefined> {
  // After a jump to another day, the newer jobs are not in the list.
  const whole = shown.top.peek() === undefined ? shown : createJobFeed(api, jobs, shown.filter);
  let ids: readonly string[] | undefined;
  await attempt(toasts, async () => {
    await whole.loadMany();
    const failure = whole.error.peek();
    if (failure !== undefined) throw failure;
    ids = whole.ids.peek();
    await whole.need(ids);
  });
  if (whole !== shown) whole.close();
  return ids;
}

/** Returns the number of jobs that a change is meant for. */
function countFor({ counts }: WholeList, change: Change): number {
  if (counts === undefined) return 0;
  if (change === 'cancel') return counts.queued;
  return change === 'hide' ? counts.ended : counts.all;
}
