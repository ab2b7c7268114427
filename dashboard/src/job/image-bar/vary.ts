import type { Job } from '../../api/schemas.ts';
import { varyJob } from '../../make/make-again.ts';
import { chooseModel, takesReferences } from '../../make/model-abilities.ts';
import type { Page } from '../../page.ts';
import { attempt } from '../../shell/toasts.ts';
import { text } from '../../text/job-text.ts';
import { idOf, type JobImage } from '../state/job-images.ts';

/**
 * Creates the action that sends the request of a job again with one of its images as a reference. If the model cannot use the image
 * as a reference, the request is sent without the image.
 */
export function createVariations(page: Page) {
  const { providers, router, toasts } = page;
  let isSending = false;

  /** Returns the model if it cannot use the image as a reference. While its capabilities are unknown, the bridge decides. */
  function refusingModel({ bytes }: JobImage, { request }: Job): string | undefined {
    const { model, capabilities } = chooseModel(request, providers) ?? {};
    const sizes = [...request.reference_images.map((each) => each.bytes), bytes];
    return capabilities && !takesReferences(capabilities, sizes) ? model : undefined;
  }

  function sent(made: Job, isAnew: boolean): void {
    toasts.show({
      kind: 'done',
      text: text(isAnew ? 'gallery.sentAgain' : 'job.one.varied', { count: 1 }),
      action: {
        label: text('job.sentAgain.show'),
        run: () => router.navigate(`/jobs/${made.id}`, { replace: true }),
      },
    });
  }

  return {
    /** Describes the request that `vary` sends. */
    varyText(image: JobImage, job: Job): string {
      const model = refusingModel(image, job);
      return model === undefined
        ? text('job.one.vary.detail')
        : text('job.one.vary.again', { model });
    },

    /** Sends the request. Does nothing while an earlier request is being sent. */
    vary(image: JobImage, job: Job): void {
      if (isSending) return;
      isSending = true;
      const isAnew = refusingModel(image, job) !== undefined;
      void attempt(toasts, async () => {
        sent(await varyJob(page, job, isAnew ? undefined : idOf(image)), isAnew);
      }).finally(() => {
        isSending = false;
      });
    },
  };
}
