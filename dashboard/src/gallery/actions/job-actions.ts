import type { Page } from '../../page.ts';
import { copyText } from '../../shell/copy-text.ts';
import { attempt } from '../../shell/say-failure.ts';
import { text } from '../../text/text.ts';
import { createConfirmation } from './confirmation.ts';
import { download } from './download.ts';
import { createMakingFromJobs } from './make-from-jobs.ts';
import { createJobMarks } from './mark-jobs.ts';

export type JobActions = ReturnType<typeof createJobActions>;

/** What can be done to jobs from the gallery. Each says what it did, or why it could not. */
export function createJobActions(page: Page) {
  const { api, jobs, router, toasts } = page;
  const cancelling = createConfirmation();

  return {
    ...createJobMarks(page),
    ...createMakingFromJobs(page),

    /** The job whose cancelling waits for a second press. */
    cancelling: cancelling.waiting,
    cancel(id: string): void {
      if (cancelling.confirm(id)) void attempt(toasts, () => jobs.cancel(id));
    },

    /** One job: its images, or the image with its source; two: beside each other. */
    compare(ids: readonly string[]): void {
      const [first, second] = ids.filter((id) => jobs.get(id)?.peek().artifacts.length);
      if (first === undefined) return;
      router.navigate(`/jobs/${first}?view=side${second === undefined ? '' : `&b=${second}`}`);
    },

    download(ids: readonly string[]): Promise<void> {
      return attempt(toasts, async () => {
        const list = ids.flatMap((id) => jobs.get(id)?.peek() ?? []);
        const result = await download(api, list);
        if (result === undefined) return;
        const { saved, missing } = result;
        if (saved + missing === 0) toasts.show({ kind: 'done', text: text('gallery.noImages') });
        if (missing > 0) {
          toasts.show({ kind: 'failed', text: text('gallery.missing', { count: missing }) });
        }
      });
    },

    /** Lists hold only the beginning of a prompt. */
    copyPrompt(id: string): Promise<void> {
      return attempt(toasts, async () => {
        const { request } = await jobs.read(id);
        copyText(request.prompt);
        toasts.show({ kind: 'done', text: text('gallery.copied') });
      });
    },
  };
}
