import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError } from '../../api/api-error.ts';
import type { JobSummary } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';
import type { Page } from '../../page.ts';
import { copyText } from '../../shell/copy-text.ts';
import { attempt } from '../../shell/say-failure.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { type TextKey, text } from '../../text/text.ts';
import { download } from './download.ts';
import { createMakingFromJobs } from './make-from-jobs.ts';

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

/** Marks jobs as favourites, and hides them: at once, and to be taken back instead of asked about before. */
function createJobMarks({ jobs, undo, toasts }: Page) {
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

/** The ids for which it was done, and those for which it was not, with the first error. */
interface Outcome {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly error: ApiError;
}

const AT_ONCE = 6;

/** Does something to each of the jobs, a few at once. What fails does not stop the others. */
export async function runForEach<T extends { readonly id: string }>(
  list: readonly T[],
  run: (job: T) => Promise<void>,
): Promise<Outcome> {
  const done: string[] = [];
  const failed: string[] = [];
  let first: ApiError | undefined;
  const waiting = list.values();
  async function work(): Promise<void> {
    for (const job of waiting) {
      try {
        await run(job);
        done.push(job.id);
      } catch (error) {
        failed.push(job.id);
        first ??= error instanceof ApiError ? error : ApiError.unreachable();
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, error: first ?? ApiError.unreachable() };
}

const WAITS_MS = 3000;

/** A second press within three seconds confirms what cannot come back. */
export function createConfirmation() {
  const waiting = signal<string | undefined>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    /** What was pressed once. */
    waiting: waiting as ReadonlySignal<string | undefined>,

    /** Whether this press is the second one. */
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
