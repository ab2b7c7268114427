import type { Job } from '../api/schemas.ts';
import { imageName } from '../gallery/actions/image-files.ts';
import { changeJob, createConfirmation, saveAll } from '../gallery/actions/job-actions.ts';
import type { SwitchedMarks } from '../jobs/image-marks.ts';
import { type LabelChange, toLabelBatch } from '../jobs/job-batches.ts';
import type { Attachment } from '../make/draft.ts';
import { changeImages } from '../make/images/attachments.ts';
import { repeatJob } from '../make/make-again.ts';
import { openPrompt } from '../make/open-prompt.ts';
import type { Page } from '../page.ts';
import { createScope } from '../page-context.ts';
import { copyText } from '../shell/copy-text.ts';
import { attempt } from '../shell/toasts.ts';
import { text } from '../text/job-text.ts';
import type { TextKey } from '../text/text.ts';
import { createVariations } from './image-bar/vary.ts';
import type { JobDetail } from './state/job-detail.ts';
import { idOf, type JobImage, readRelative } from './state/job-images.ts';

/** Creates the actions on the job in view, which report their failures. Actions that Undo cannot revert need a second press. */
export function createJobActions(page: Page, detail: JobDetail, id: string) {
  const { batches, jobs, toasts } = page;
  const confirmation = createConfirmation();

  return {
    ...createMarks(page, detail, id),
    ...createDraftActions(page),
    ...createVariations(page),

    /** `cancel` or `again` while that action waits for a second press. */
    waiting: confirmation.waiting,

    /** Cancels a waiting job at once, because Undo queues its request again. A running job needs a second press. */
    cancel(): void {
      if (detail.job.peek()?.status === 'queued') {
        void batches.change({ action: 'cancel' }, [id], 'gallery.wasCancelled').then(detail.read);
      } else if (confirmation.confirm('cancel')) {
        void attempt(toasts, async () => {
          await jobs.cancel(id);
          await detail.read();
        });
      }
    },

    /** Sends the same request again. Needs a second press if an image may already have been made and paid for. */
    makeAgain(job: Job): void {
      const isUnknown = job.error?.details['outcome'] === 'unknown';
      if (isUnknown && !confirmation.confirm('again')) return;
      void attempt(toasts, async () => {
        const made = await repeatJob(page, job);
        toasts.show({
          kind: 'done',
          text: text('gallery.sentAgain', { count: 1 }),
          action: {
            label: text('job.sentAgain.show'),
            run: () => page.router.navigate(`/jobs/${made.id}`, { replace: true }),
          },
        });
      });
    },

    /** Saves images under the file names that the images have on the bridge. */
    download(...images: readonly JobImage[]): Promise<void> {
      const files = images.map(({ path, name, ref, bytes }) => ({
        path,
        name: baseName(name ?? ref),
        bytes,
      }));
      return attempt(toasts, () => saveAll(page, files, `${id}.zip`));
    },

    /** Saves the manifest of an image under the file name of the image. */
    downloadManifest({ path, name, ref }: JobImage): Promise<void> {
      const stem = baseName(name ?? ref).replace(/\.[^.]+$/, '');
      const file = { path: `${path}/manifest`, name: `${stem}.c2pa`, bytes: 0 };
      return attempt(toasts, () => saveAll(page, [file], ''));
    },

    copy(content: string, what: TextKey): void {
      try {
        copyText(content);
        toasts.show({ kind: 'done', text: text('job.copied', { what: text(what) }) });
      } catch {
        toasts.show({ kind: 'failed', text: text('job.notCopied') });
      }
    },
  };
}

function createMarks(page: Page, detail: JobDetail, id: string) {
  const { batches, jobs, toasts, undo, jobUndo } = page;
  function setHidden(hidden: boolean): void {
    void attempt(toasts, async () => {
      await jobs.setHidden(id, hidden);
      const done = text(hidden ? 'gallery.wasHidden' : 'gallery.wasRestored', { count: 1 });
      jobUndo.offer(done, [{ job: id, hidden: !hidden }], { revert: () => setHidden(!hidden) });
      await detail.read();
    });
  }
  function markImage(image: JobImage, marks: SwitchedMarks): void {
    void attempt(toasts, async () => {
      await jobs.markImage(id, idOf(image), marks);
      if (marks.hidden !== undefined) {
        const done = text(marks.hidden ? 'job.one.wasHidden' : 'job.one.wasShown');
        const before = { hidden: !marks.hidden };
        jobUndo.offer(done, [{ job: id, image: idOf(image), marks: before }], {
          revert: () => markImage(image, before),
        });
      }
      await detail.read();
    });
  }
  /** Changes the note of an image. An empty text removes the note. Rejects if the note is not stored. */
  async function setNote(image: JobImage, note: string, before: string): Promise<void> {
    await jobs.setNote(id, idOf(image), note);
    undo.offer(text(note === '' ? 'job.note.removed' : 'job.note.saved'), () => {
      void attempt(toasts, () => setNote(image, before, note));
    });
    await detail.read();
  }
  return {
    setHidden,
    setNote,
    /** Marks or hides one image of the job. */
    markImage,
    /** Adds and removes labels. Resolves with true if the job has the labels. A failure is shown. */
    async setLabels(change: LabelChange, done: TextKey): Promise<boolean> {
      const isDone = await batches.change(toLabelBatch(change), [id], done);
      await detail.read();
      return isDone;
    },
    setFavorite(favorite: boolean): void {
      void attempt(toasts, async () => {
        await jobs.setFavorite(id, favorite);
        await detail.read();
      });
    },
  };
}

/** Creates the actions that load this job, or one of its images, into the draft. */
function createDraftActions(page: Page) {
  const { draft, router, toasts } = page;

  async function showImages(isReplaced = false): Promise<void> {
    const isAway = () => router.route.peek().view !== 'images';
    if (isAway()) await router.back();
    if (isAway()) router.navigate('');
    openPrompt(router, isReplaced);
  }

  function attachOutput(image: JobImage, job: Job, role: Attachment['role']): void {
    const output = toOutput(image, job);
    if (output === undefined) return;
    changeImages(page, () => draft.attachArtifact(output.artifact, output.name, role));
    void showImages(true);
  }

  return {
    /** Uses an output as the source of an edit. */
    edit: (image: JobImage, job: Job): void => attachOutput(image, job, 'source'),

    /** Opens an output on the canvas, where it is masked, extended or cropped in place. */
    openCanvas(image: JobImage, job: Job): void {
      const output = toOutput(image, job);
      if (output === undefined) return;
      changeImages(page, () => draft.editArtifact(output.artifact, output.name));
      router.openLayer('mask');
    },

    /** Uses an output as an example for the model. */
    refer: (image: JobImage, job: Job): void => attachOutput(image, job, 'reference'),

    /** Loads the request of the job into the draft for editing. */
    change: (job: Job) =>
      attempt(toasts, async () => {
        await changeJob(page, job);
        await showImages();
      }),
  };
}

/** Returns an output as an image for the draft. Undefined if the size of the image is not known. */
function toOutput({ path, ref, size, format, bytes, number, isOneOfSeveral }: JobImage, job: Job) {
  if (size === undefined) return undefined;
  const jobId = readRelative(ref)?.id ?? job.id;
  const artifact = { id: idOf({ path }), ...size, format, bytes, jobId };
  const source = { id: job.id, prompt: job.request.prompt };
  return { artifact, name: imageName(source, format, isOneOfSeveral ? number : undefined) };
}

/** Returns the last component of a name below the artifact root. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Provides the actions on the job in view. */
export const [ActionsProvider, useJobActions] =
  createScope<ReturnType<typeof createJobActions>>('the job');
