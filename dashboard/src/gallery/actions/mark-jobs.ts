import type { JobSummary } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';
import type { Page } from '../../page.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { type TextKey, text } from '../../text/text.ts';
import { type Outcome, runForEach } from './run-for-each.ts';

/** Marks jobs as favourites, and hides them: at once, and to be taken back instead of asked about before. */
export function createJobMarks({ jobs, undo, toasts }: Page) {
  const known = (ids: readonly string[]): readonly JobSummary[] =>
    ids.flatMap((id) => jobs.get(id)?.peek() ?? []);

  function report({ failed, error }: Outcome, key: TextKey, again: () => void): void {
    if (failed.length === 0) return;
    toasts.show({
      kind: 'failed',
      text: text(key, { count: failed.length }),
      detail: toFailureText(error, Date.now()).title,
      action: { label: text('action.retry'), run: again },
    });
  }

  /** One heart that changes says enough: only several are worth a message. */
  async function setFavorite(ids: readonly string[], favorite: boolean): Promise<void> {
    const list = known(ids).filter((job) => job.favorite !== favorite);
    const outcome = await runForEach(list, ({ id }) => jobs.setFavorite(id, favorite));
    const { done } = outcome;
    if (done.length > 1) {
      const key = favorite ? 'gallery.favourited' : 'gallery.unfavourited';
      undo.offer(text(key, { count: done.length }), () => void setFavorite(done, !favorite));
    }
    report(outcome, 'gallery.favouriteFailed', () => void setFavorite(outcome.failed, favorite));
  }

  /** Only jobs that have ended can be hidden. */
  async function setHidden(ids: readonly string[], hidden: boolean): Promise<void> {
    const list = known(ids).filter((job) => !isOpen(job) && (job.deleted !== undefined) !== hidden);
    if (list.length === 0 && ids.length > 0) {
      toasts.show({ kind: 'done', text: text('gallery.stillOpen') });
    }
    const outcome = await runForEach(list, ({ id }) => jobs.setHidden(id, hidden));
    const { done } = outcome;
    if (done.length > 0) {
      const key = hidden ? 'gallery.wasHidden' : 'gallery.wasRestored';
      undo.offer(text(key, { count: done.length }), () => void setHidden(done, !hidden));
    }
    const key = hidden ? 'gallery.hideFailed' : 'gallery.restoreFailed';
    report(outcome, key, () => void setHidden(outcome.failed, hidden));
  }

  return { setFavorite, setHidden };
}
