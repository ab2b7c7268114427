import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { ApiError } from '../api/api.ts';
import type { Job } from '../api/schemas.ts';
import type { Size } from '../images/measure-image.ts';
import { withLatest } from '../job/state/job-detail.ts';
import { idOf, type JobImage, marksOfImage, toJobImages } from '../job/state/job-images.ts';
import type { ImageMarks, SwitchedMarks } from '../jobs/image-marks.ts';
import type { Revert } from '../jobs/kept-undo.ts';
import type { Page } from '../page.ts';
import { readJson, writeJson } from '../shell/stored-json.ts';
import { attempt } from '../shell/toasts.ts';
import { text } from '../text/text.ts';
import { MAX_IMAGES } from './table-path.ts';

export type Choice = 'picked' | 'rejected';

/** An image on the table. */
export interface TableImage {
  readonly id: string;
  readonly job: Job;
  readonly image: JobImage;
}

export type LightTable = ReturnType<typeof createLightTable>;

/** Creates the state of the light table: the images of these jobs, the choices, and the image that has the focus. */
export function createLightTable(page: Page, ids: readonly string[]) {
  const { jobs, toasts } = page;
  const read = signal<readonly Job[] | undefined>(undefined);
  const failed = signal<readonly { readonly id: string; readonly error: ApiError }[]>([]);
  const kept = keptChoices(ids);
  const choices = signal<ReadonlyMap<string, Choice>>(kept.read());
  const at = signal(0);
  const controller = new AbortController();
  const history: ReadonlyMap<string, Choice>[] = [];
  const images = computed(() => read.value?.flatMap(toImages).slice(0, MAX_IMAGES));

  async function load(): Promise<void> {
    const found: Job[] = [];
    const lost: { readonly id: string; readonly error: ApiError }[] = [];
    for (const id of ids) {
      try {
        found.push(await jobs.read(id, controller.signal));
      } catch (thrown) {
        if (controller.signal.aborted) return;
        const error = ApiError.of(thrown);
        const known = read.peek()?.find((job) => job.id === id);
        // A job that cannot be read at the moment stays on the table.
        if (known !== undefined && error.status !== 404) found.push(known);
        else lost.push({ id, error });
      }
    }
    batch(() => {
      failed.value = lost;
      read.value = found;
    });
  }

  function setChoices(next: ReadonlyMap<string, Choice>): void {
    choices.value = next;
    kept.write(next);
  }

  const chosen = (wanted: Choice) =>
    (images.peek() ?? []).filter(({ id }) => choices.peek().get(id) === wanted);

  /** Returns the present marks of an image, which another view may have changed. */
  function marksOf({ job, image }: TableImage): ImageMarks {
    return marksOfImage(withLatest(job, jobs.watch(job.id)), image);
  }

  return {
    /** Undefined until the jobs have been read. */
    images: images as ReadonlySignal<readonly TableImage[] | undefined>,
    /** The jobs that could not be read. */
    failed: failed as ReadonlySignal<readonly { readonly id: string; readonly error: ApiError }[]>,
    choices: choices as ReadonlySignal<ReadonlyMap<string, Choice>>,
    /** The index of the image that has the focus. */
    at,
    /** The size of the pane that is zoomed. */
    pane: signal<Size>({ width: 1, height: 1 }),
    load,
    close: () => controller.abort(),

    marksOf,

    /** Makes an image a favourite, or removes the mark. */
    toggleFavorite(one: TableImage): void {
      const favorite = marksOf(one).favorite !== true;
      void attempt(toasts, () => jobs.markImage(one.job.id, one.id, { favorite }));
    },

    /** Makes the choice for one image, or removes the same choice. */
    choose({ id }: TableImage, choice: Choice): void {
      const next = new Map(choices.peek());
      if (next.get(id) === choice) next.delete(id);
      else next.set(id, choice);
      history.push(choices.peek());
      setChoices(next);
    },

    /** Takes the last choice back. Returns false if there is none. */
    undo(): boolean {
      const before = history.pop();
      if (before !== undefined) setChoices(before);
      return before !== undefined;
    },

    /**
     * Makes the picked images favourites and hides the rejected images. One undo restores the marks of all. Resolves with true if all
     * images were changed.
     */
    async keep(): Promise<boolean> {
      const isKept = await keep(page, chosen('picked'), chosen('rejected'));
      if (isKept) kept.write(new Map());
      return isKept;
    },
  };
}

const KEY = 'image-bridge.table-choices';

/** Keeps the choices of the latest table in this tab, so that they survive a reload. */
function keptChoices(ids: readonly string[]) {
  const table = ids.join();
  return {
    read(): ReadonlyMap<string, Choice> {
      const kept = readJson(sessionStorage, KEY);
      const { table: of, choices } = Object(kept) as { table?: string; choices?: [] };
      return new Map<string, Choice>(of === table ? choices : []);
    },
    write(choices: ReadonlyMap<string, Choice>): void {
      const kept = choices.size === 0 ? undefined : { table, choices: [...choices] };
      writeJson(sessionStorage, KEY, kept);
    },
  };
}

/** Returns the images of a job that are not hidden, or all its images if all are hidden. */
function toImages(job: Job): readonly TableImage[] {
  const outputs = toJobImages(job, undefined).filter(({ kind }) => kind === 'output');
  const shown = outputs.filter((image) => !marksOfImage(job, image).hidden);
  const list = shown.length === 0 ? outputs : shown;
  return list.map((image) => ({ id: idOf(image), job, image }));
}

async function keep(
  { jobs, toasts, jobUndo }: Page,
  picked: readonly TableImage[],
  rejected: readonly TableImage[],
): Promise<boolean> {
  const reverts: Revert[] = [];
  const mark = async ({ job, id }: TableImage, marks: SwitchedMarks, before: SwitchedMarks) => {
    await jobs.markImage(job.id, id, marks);
    reverts.push({ job: job.id, image: id, marks: before });
  };
  await attempt(toasts, async () => {
    for (const one of picked) await mark(one, { favorite: true }, favoriteBefore(one));
    for (const one of rejected) await mark(one, { hidden: true }, { hidden: false });
  });
  const isAll = reverts.length === picked.length + rejected.length;
  if (reverts.length === 0) return isAll;
  const kept = Math.min(reverts.length, picked.length);
  jobUndo.offer(text('table.kept', { kept, hidden: reverts.length - kept }), reverts);
  return isAll;
}

function favoriteBefore({ job, image }: TableImage): SwitchedMarks {
  return { favorite: marksOfImage(job, image).favorite === true };
}
