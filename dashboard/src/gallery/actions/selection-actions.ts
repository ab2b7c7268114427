import { type LabelChange, toLabelBatch } from '../../jobs/job-batches.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { MAX_IMAGES } from '../../light-table/table-path.ts';
import type { Page } from '../../page.ts';
import { attempt } from '../../shell/toasts.ts';
import { type TextKey, text } from '../../text/text.ts';
import type { GalleryState } from '../state/gallery-state.ts';
import type { WholeList } from '../state/selection.ts';
import type { JobActions } from './job-actions.ts';
import { createWholeListActions, type WholeListActions } from './whole-list-actions.ts';

export type SelectionActions = ReturnType<typeof createSelectionActions>;

/**
 * Creates the actions on the selection. Selected cards are changed by their ids. A whole list is changed by its filter, so that its
 * pages need not be read.
 */
export function createSelectionActions(page: Page, state: GalleryState, actions: JobActions) {
  const { jobs, toasts } = page;
  const { selection } = state;
  const whole = createWholeListActions(page, state);
  const facts = () => factsOf(page, state);

  function isOpenJob(id: string): boolean {
    const job = jobs.get(id);
    return job !== undefined && isOpen(job);
  }

  function refuse(key: TextKey): void {
    toasts.show({ kind: 'refused', text: text(key, { count: MAX_IMAGES }) });
  }

  /** Calls `onCards` with the ids of the selected or focused cards, or `onWhole` with the selected list. */
  function run(
    onCards: (ids: readonly string[]) => unknown,
    onWhole: (list: WholeList) => unknown,
  ): void {
    const list = selection.whole.peek();
    if (list !== undefined) {
      onWhole(list);
      return;
    }
    const ids = state.targets();
    void attempt(toasts, async () => {
      // A range may contain jobs far from the viewport.
      await state.feed.peek().need(ids);
      if (ids.length > 0) onCards(ids);
    });
  }

  return {
    /** Returns the facts about the selection. */
    facts,

    ...createSelecting(page, state, whole),

    /** Marks the jobs as favourites, or removes the marks if all jobs have one. */
    favourite(): void {
      run(
        (ids) => void actions.setFavorite(ids, !facts().isFavourite),
        (list) => void whole.change(list, facts().isFavourite ? 'unfavorite' : 'favorite'),
      );
    },

    /** Hides the jobs, or restores the jobs if the first job is hidden. */
    hide(): void {
      run(
        (ids) => void actions.setHidden(ids, !facts().isHidden),
        (list) => void whole.change(list, facts().isHidden ? 'restore' : 'hide'),
      );
    },

    /** Cancels the jobs that have not ended. Running jobs are cancelled only as cards, by a second press. */
    cancel(): void {
      run(
        (ids) => actions.remove(ids.filter(isOpenJob)),
        (list) => void whole.change(list, 'cancel'),
      );
    },

    /** Hides the jobs that have ended, and cancels the others. A list with ended jobs is only hidden. */
    remove(): void {
      const { isHidden, ended, open } = facts();
      const shown = isHidden ? 'restore' : 'hide';
      const change = ended === 0 && open > 0 ? 'cancel' : shown;
      run(actions.remove, (list) => void whole.change(list, change));
    },

    ...createLabelling(page, state, whole),

    makeAgain: () => run(actions.makeAgain, () => refuse('gallery.all.single')),
    compare: () => run(actions.compare, () => refuse('gallery.all.single')),
    openTable: () => run(actions.openTable, () => refuse('table.count')),
    /** Saves the images. The rest of a whole list is read first, because each file has a name of its own. */
    download: () =>
      run(actions.download, async (list) => {
        const ids = await whole.read(list);
        if (ids !== undefined) await actions.download(ids);
      }),
  };
}

/** Creates the actions on the labels of the selected jobs. They resolve with true if the jobs have the labels, and show a failure. */
function createLabelling(
  { batches, jobs, toasts }: Page,
  { selection, feed }: GalleryState,
  whole: WholeListActions,
) {
  return {
    /** Adds and removes labels. */
    async setLabels(change: LabelChange, done: TextKey): Promise<boolean> {
      const list = selection.whole.peek();
      if (list !== undefined) return whole.setLabels(list, change, done);
      return batches.change(toLabelBatch(change), [...selection.ids.peek()], done);
    },

    /** Renames a label of those jobs that have it. */
    async renameLabel(label: string, next: string): Promise<boolean> {
      const change = { remove: [label], add: [next] };
      const list = selection.whole.peek();
      if (list !== undefined) return whole.renameLabel(list, label, change);
      const ids = [...selection.ids.peek()];
      let isDone = false;
      await attempt(toasts, async () => {
        // The labels of jobs far from the viewport may have been forgotten.
        await feed.peek().need(ids);
        const having = ids.filter((id) => jobs.get(id)?.labels?.includes(label));
        isDone = await batches.change(toLabelBatch(change), having, 'labels.renamed');
      });
      return isDone;
    },
  };
}

/** Creates the actions that change the selection. */
function createSelecting(
  { toasts }: Page,
  { feed, selection, arrivals }: GalleryState,
  whole: WholeListActions,
) {
  return {
    /** Selects all jobs under the filter, also those that have not been read. */
    selectAll(): void {
      const current = feed.peek();
      const shown = arrivals.shown.peek();
      const isRead = current.isWhole() && shown.length === current.ids.peek().length;
      if (isRead) selection.all(shown);
      else void whole.select(current.filter);
    },

    /** Selects or deselects a card. Without one card, a whole list becomes the other loaded cards. */
    toggle(id: string): void {
      const wasWhole = selection.whole.peek() !== undefined;
      if (wasWhole) selection.all(arrivals.shown.peek());
      selection.toggle(id);
      if (!wasWhole) return;
      const count = selection.ids.peek().size;
      toasts.show({ kind: 'refused', text: text('gallery.all.loaded', { count }) });
    },
  };
}

/** The facts about the selection that its actions and their labels depend on. */
interface SelectionFacts {
  /** Undefined while the bridge counts the jobs of a list. */
  readonly count: number | undefined;
  readonly isMore: boolean;
  /** The number of jobs that Cancel stops. */
  readonly open: number;
  readonly ended: number;
  readonly isHidden: boolean;
  readonly isFavourite: boolean;
}

/** Returns the facts about the selection. Without a selection, the facts are about the focused card. */
function factsOf({ jobs }: Page, { selection, targets }: GalleryState): SelectionFacts {
  const { value: list } = selection.whole;
  if (list !== undefined) {
    const { filter, counts } = list;
    return {
      count: counts?.all,
      isMore: counts?.isMore ?? false,
      open: counts?.queued ?? 0,
      ended: counts?.ended ?? 0,
      isHidden: filter.show === 'hidden',
      isFavourite: filter.show === 'favourites',
    };
  }
  const chosen = selection.ids.value.size > 0 ? [...selection.ids.value] : targets();
  const known = chosen.flatMap((id) => jobs.watch(id) ?? []);
  const open = known.filter(isOpen).length;
  return {
    count: selection.ids.value.size,
    isMore: false,
    open,
    ended: known.length - open,
    isHidden: known[0]?.deleted !== undefined,
    isFavourite: known.length > 0 && known.every(({ favorite }) => favorite),
  };
}
