import { type ReadonlySignal, signal } from '@preact/signals';
import { zoomTransform } from 'd3-zoom';
import { useMemo } from 'preact/hooks';
import type { Family, Job, JobSummary } from '../../api/schemas.ts';
import type { Size } from '../../images/measure-image.ts';
import { createScope, usePage } from '../../page-context.ts';
import { isNarrow } from '../../shell/is-narrow.ts';
import { createZoom, type Zoom } from '../../zoom/zoom.ts';
import {
  type JobImage,
  type OtherImage,
  readRelative,
  toJobImages,
  toListedImages,
} from './job-images.ts';
import { afterPress, type Looking, toLooking } from './looking.ts';
import { useReadJob } from './use-read-job.ts';

/** The images and the view of the stage, and the functions that change them. */
export interface Look {
  readonly images: readonly JobImage[];
  readonly looking: Looking;
  /** The family of the job, in which the images of other jobs have their names. Undefined until it has been read. */
  readonly family: Family | undefined;
  readonly zoom: Zoom;
  /** Image sizes that were measured by the browser because the bridge does not report them, by image path. */
  readonly measured: ReadonlySignal<ReadonlyMap<string, Size>>;
  measure(path: string, size: Size): void;
  press(image: JobImage): void;
  swap(): void;
}

/** Provides the current look. */
export const [LookProvider, useLook] = createScope<Look>('the job');

/** Returns the view of the job that the address describes, and functions to change the view. */
export function useLooking(
  id: string,
  job: Job | undefined,
  summary: JobSummary | undefined,
  family: Family | undefined,
): Look {
  const { router } = usePage();
  const { value: query } = router.query;
  const other = useOther(id, query);
  const result = job?.result;
  const images = useMemo(
    () => (job ? toJobImages(job, other) : summary ? toListedImages(summary) : []),
    // The images of a job change only when the job has been read and when the job has ended.
    [id, job === undefined, result?.id, other, summary?.artifacts],
  );
  const looking = useMemo(() => toLooking(query, images), [query, images]);
  const isSide = looking.view === 'side';
  // Panes that are side by side have a different shape, so the zoom cannot be kept when the view changes.
  const zoom = useMemo(
    () => createZoom({ filter: isForZoom, doubleClickZooms: true }),
    [id, isSide],
  );
  const sizes = useMemo(createSizes, [id]);
  return {
    images,
    looking,
    family,
    zoom,
    ...sizes,
    press: (image) => router.setQuery(afterPress(looking, image)),
    swap: () => router.setQuery({ a: looking.b?.ref, b: looking.a?.ref }),
  };
}

/**
 * Returns true if an event may start a zoom. On narrow screens, one finger and the wheel scroll the page until the
 * image is zoomed. Controls over an image handle their own events.
 */
function isForZoom(event: Event, pane: HTMLElement): boolean {
  if (event.target instanceof Element && event.target.closest('button, .divider, .menu'))
    return false;
  const isZoomed = zoomTransform(pane).k > 1;
  if (event instanceof WheelEvent) return event.ctrlKey || isZoomed || !isNarrow();
  if (typeof TouchEvent !== 'undefined' && event instanceof TouchEvent) {
    return isZoomed || event.touches.length > 1;
  }
  return event instanceof MouseEvent && event.button === 0 && !event.ctrlKey;
}

function createSizes() {
  const measured = signal<ReadonlyMap<string, Size>>(new Map());
  return {
    measured,
    measure(path: string, size: Size): void {
      if (!measured.peek().has(path)) measured.value = new Map([...measured.peek(), [path, size]]);
    },
  };
}

/** Reads the image of another job that the address names for a comparison. */
function useOther(id: string, query: URLSearchParams): OtherImage | undefined {
  const named = [query.get('a'), query.get('b')].map(readRelative).find((each) => each?.id);
  const number = named?.number ?? 1;
  const job = useReadJob(named?.id === id ? undefined : named?.id);
  return useMemo(() => job && { job, number }, [job, number]);
}
