import { type ReadonlySignal, signal } from '@preact/signals';
import type { Job } from '../../api/schemas.ts';
import { shownArtifacts } from '../../jobs/image-marks.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { MAX_IMAGES, tablePath } from '../../light-table/table-path.ts';
import { changeImages } from '../../make/images/attachments.ts';
import { repeatJob, toDraftAgain } from '../../make/make-again.ts';
import { openPrompt } from '../../make/open-prompt.ts';
import type { Page } from '../../page.ts';
import { copyText } from '../../shell/copy-text.ts';
import { attempt } from '../../shell/toasts.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { type TextKey, text } from '../../text/text.ts';
import { artifactName, filesOf, type SavedFile } from './image-files.ts';
import { type Outcome, runForEach } from './run-for-each.ts';

const NO_IMAGES = { artifacts: [] };

export type JobActions = ReturnType<typeof createJobActions>;

/** Creates the actions on jobs in the gallery. Each action reports its result, or why it failed. */
export function createJobActions(page: Page) {
  const { jobs, router, toasts } = page;
  const cancelling = createConfirmation();
  const marks = createJobMarks(page);

  return {
    ...marks,
    ...createMakingFromJobs(page),

    /** The id of the job whose cancellation waits for a second press. */
    cancelling: cancelling.waiting,
    /** Cancels a waiting job at once, because Undo queues its request again. A running job needs a second press. */
    cancel(id: string): void {
      if (jobs.get(id)?.status === 'queued') void marks.cancelWaiting([id]);
      else if (cancelling.confirm(id)) void attempt(toasts, () => jobs.cancel(id));
    },

    /** Hides jobs that have ended, and cancels open jobs. Running jobs need a second press. */
    remove(ids: readonly string[]): void {
      const statuses = ids.map((id) => [id, jobs.get(id)?.status] as const);
      const having = (wanted: string) =>
        statuses.filter(([, status]) => status === wanted).map(([id]) => id);
      const [waiting, running] = [having('queued'), having('running')];
      const ended = ids.filter((id) => !waiting.includes(id) && !running.includes(id));
      const [first] = ended;
      const isHidden = first !== undefined && jobs.get(first)?.deleted !== undefined;
      if (ended.length > 0) void marks.setHidden(ended, !isHidden);
      if (waiting.length > 0) void marks.cancelWaiting(waiting);
      if (running.length > 0 && cancelling.confirm(running.join(' '))) {
        void marks.cancelRunning(running);
      }
    },

    /** Opens one job to compare its images, or two jobs side by side. */
    compare(ids: readonly string[]): void {
      const [first, second, ...rest] = ids.filter((id) => jobs.get(id)?.artifacts.length);
      if (rest.length > 0) {
        toasts.show({ kind: 'refused', text: text('gallery.compare.two') });
        return;
      }
      const count = ids.length - [first, second].filter(Boolean).length;
      if (count > 0) {
        toasts.show({
          kind: 'refused',
          text: text('gallery.compare.without', { count, all: ids.length }),
        });
      }
      if (first === undefined || (second === undefined && ids.length > 1)) return;
      router.navigate(`/jobs/${first}?view=side${second === undefined ? '' : `&b=${second}`}`);
    },

    /** Opens the images of jobs on the light table. */
    openTable(ids: readonly string[]): void {
      const having = ids.filter((id) => jobs.get(id)?.artifacts.length);
      const count = having.flatMap((id) => shownArtifacts(jobs.get(id) ?? NO_IMAGES)).length;
      if (count < 2 || count > MAX_IMAGES) {
        toasts.show({ kind: 'refused', text: text('table.count', { count: MAX_IMAGES }) });
        return;
      }
      router.navigate(tablePath(having));
    },

    download(ids: readonly string[]): Promise<void> {
      return attempt(toasts, async () => {
        const files = filesOf(ids.flatMap((id) => jobs.get(id) ?? []));
        if (files.length === 0) toasts.show({ kind: 'refused', text: text('gallery.noImages') });
        else await saveAll(page, files, `image-bridge-${files.length}.zip`);
      });
    },

    /** Copies the whole prompt, because lists contain only the beginning of a prompt. */
    copyPrompt(id: string): Promise<void> {
      return attempt(toasts, async () => {
        const { request } = await jobs.read(id);
        copyText(request.prompt);
        toasts.show({ kind: 'done', text: text('gallery.copied') });
      });
    },
  };
}

/** Saves images, and reports how many of them no longer exist. */
export async function saveAll(
  { api, toasts }: Page,
  files: readonly SavedFile[],
  zipName: string,
): Promise<void> {
  const { saveImages } = await import('./save-images.ts');
  const count = await saveImages(api, files, zipName);
  if (count > 0) toasts.show({ kind: 'failed', text: text('gallery.missing', { count }) });
}

/** Creates the actions that mark and hide jobs. The actions take effect at once and offer an undo. */
function createJobMarks({ jobs, batches, jobUndo, toasts }: Page) {
  function report({ failed, error }: Outcome, key: TextKey, again: () => void): void {
    if (failed.length === 0) return;
    toasts.show({
      kind: 'failed',
      text: text(key, { count: failed.length }),
      detail: toFailureText(error, Date.now()).title,
      action: { label: text('action.retry'), run: again },
    });
  }

  /** Sets or clears the favourite mark. A single job needs no message, because its card shows the change. */
  async function setFavorite(ids: readonly string[], favorite: boolean): Promise<void> {
    const list = ids.filter((id) => jobs.get(id)?.favorite !== favorite);
    if (list.length > 1) {
      const action = favorite ? 'favorite' : 'unfavorite';
      const done = favorite ? 'gallery.favourited' : 'gallery.unfavourited';
      await batches.change({ action }, list, done);
      return;
    }
    const outcome = await runForEach(list, (id) => jobs.setFavorite(id, favorite));
    report(outcome, 'gallery.favouriteFailed', () => void setFavorite(outcome.failed, favorite));
  }

  /** Hides or restores jobs. Only jobs that have ended can be hidden. */
  async function setHidden(ids: readonly string[], hidden: boolean): Promise<void> {
    // A job that was hidden may have been forgotten before its undo.
    const list = ids.filter((id) => {
      const job = jobs.get(id);
      return job === undefined || (!isOpen(job) && (job.deleted !== undefined) !== hidden);
    });
    if (list.length === 0 && ids.length > 0) {
      toasts.show({ kind: 'refused', text: text('gallery.stillOpen') });
    }
    const done = hidden ? 'gallery.wasHidden' : 'gallery.wasRestored';
    if (list.length > 1) {
      await batches.change({ action: hidden ? 'hide' : 'restore' }, list, done);
      return;
    }
    const outcome = await runForEach(list, (id) => jobs.setHidden(id, hidden));
    const reverts = outcome.done.map((job) => ({ job, hidden: !hidden }));
    if (reverts.length > 0) {
      jobUndo.offer(text(done, { count: 1 }), reverts, {
        revert: () => void setHidden(outcome.done, !hidden),
      });
    }
    const key = hidden ? 'gallery.hideFailed' : 'gallery.restoreFailed';
    report(outcome, key, () => void setHidden(outcome.failed, hidden));
  }

  /** Cancels waiting jobs. Undo queues their requests again. */
  const cancelWaiting = (ids: readonly string[]) =>
    batches.change({ action: 'cancel' }, ids, 'gallery.wasCancelled');

  async function cancelRunning(ids: readonly string[]): Promise<void> {
    const outcome = await runForEach(ids, (id) => jobs.cancel(id));
    report(outcome, 'gallery.cancelFailed', () => void cancelRunning(outcome.failed));
  }

  return { setFavorite, setHidden, cancelWaiting, cancelRunning };
}

const WAITS_MS = 3000;

/** Creates the confirmation for an action that cannot be undone: a second press within three seconds. */
export function createConfirmation() {
  const waiting = signal<string | undefined>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    /** The id that waits for the second press. */
    waiting: waiting as ReadonlySignal<string | undefined>,

    /** Returns true if this press is the second press for the same id. */
    confirm(id: string): boolean {
      clearTimeout(timer);
      const isSecond = waiting.peek() === id;
      waiting.value = isSecond ? undefined : id;
      if (!isSecond) {
        timer = setTimeout(() => {
          waiting.value = undefined;
        }, WAITS_MS);
      }
      return isSecond;
    },
  };
}

/** Creates the actions that make new images from an existing job. */
function createMakingFromJobs(page: Page) {
  const { jobs, router, draft, toasts } = page;

  async function again(id: string): Promise<'sent' | 'looked at'> {
    const job = await jobs.read(id);
    // The job is shown instead of sent again, because the image could be paid for twice and the user must decide.
    if (job.error?.details['outcome'] === 'unknown') {
      router.navigate(`/jobs/${id}`);
      return 'looked at';
    }
    await repeatJob(page, job);
    return 'sent';
  }

  return {
    makeAgain: (ids: readonly string[]) =>
      attempt(toasts, async () => {
        for (const id of ids) {
          if ((await again(id)) === 'looked at') return;
        }
        toasts.show({ kind: 'done', text: text('gallery.sentAgain', { count: ids.length }) });
      }),

    change: (id: string) =>
      attempt(toasts, async () => {
        await changeJob(page, await jobs.read(id));
        openPrompt(router);
      }),

    /** Uses the first shown image of the job as the source of an edit. */
    editThis(id: string): void {
      const job = jobs.get(id);
      const artifact = job && shownArtifacts(job)[0];
      if (job === undefined || artifact === undefined) return;
      const name = artifactName(job, job.artifacts.indexOf(artifact));
      changeImages(page, () => draft.attachArtifact({ ...artifact, jobId: id }, name, 'source'));
      openPrompt(router, true);
    },
  };
}

/** Loads the request of a job into the draft for editing. The previous draft can be restored. */
export async function changeJob({ api, draft, undo }: Page, job: Job): Promise<void> {
  const content = await toDraftAgain(api, job);
  const before = draft.snapshot();
  const wasEmpty = !draft.settings.peek().prompt && draft.attachments.peek().length === 0;
  draft.restore(content);
  if (!wasEmpty) undo.offer(text('gallery.draftReplaced'), before);
}
