import type { Job } from '../../api/schemas.ts';
import { repeatJob, toDraftAgain } from '../../make/make-again.ts';
import type { Page } from '../../page.ts';
import { attempt } from '../../shell/say-failure.ts';
import { text } from '../../text/text.ts';
import { artifactName } from './download.ts';

/** Creates the actions that start from an existing job: send it again, change it, or use its image as the source. */
export function createMakingFromJobs(page: Page) {
  const { jobs, router, draft, toasts } = page;

  async function again(id: string): Promise<'sent' | 'looked at'> {
    const job = await jobs.read(id);
    // The user must decide, because the image could be paid for twice.
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
        showDraft(page);
      }),

    /** Uses the first image of the job as the source of an edit. */
    editThis(id: string): void {
      const job = jobs.get(id)?.peek();
      const artifact = job?.artifacts[0];
      if (job === undefined || artifact === undefined) return;
      draft.editArtifact(artifact, artifactName(job, 0));
      showDraft(page);
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

/** Shows the draft: focuses the prompt beside the images, or opens the sheet over them on narrow screens. */
export function showDraft({ router }: Pick<Page, 'router'>): void {
  if (window.matchMedia('(max-width: 899px)').matches) router.openLayer('make');
  else document.getElementById('prompt')?.focus();
}
