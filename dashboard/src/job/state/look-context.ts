import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { Job, JobSummary } from '../../api/schemas.ts';
import type { Size } from '../../images/size.ts';
import { usePage } from '../../page-context.ts';
import { createZoom, type Zoom } from '../stage/zoom.ts';
import { type JobImage, toJobImages, toListedImages } from './job-images.ts';
import { afterPress, type Looking, toLooking } from './looking.ts';

/** The images and the view of the stage, and the functions that change them. */
export interface Look {
  readonly images: readonly JobImage[];
  readonly looking: Looking;
  readonly zoom: Zoom;
  /** Image sizes that only the browser has determined, by path. */
  readonly measured: ReadonlySignal<ReadonlyMap<string, Size>>;
  measure(path: string, size: Size): void;
  press(image: JobImage): void;
  swap(): void;
}

export const LookContext = createContext<Look | undefined>(undefined);

/** Returns the current look. Throws if called outside a job. */
export function useLook(): Look {
  const look = useContext(LookContext);
  if (look === undefined) throw new Error('useLook was called outside a job');
  return look;
}

/** Derives from the address how the job is viewed, and provides functions to change the view. */
export function useLooking(
  id: string,
  job: Job | undefined,
  summary: JobSummary | undefined,
): Look {
  const { router } = usePage();
  const { value: query } = router.query;
  const other = useOther(id, query);
  const result = job?.result;
  const images = useMemo(
    () => (job ? toJobImages(job, other) : summary ? toListedImages(summary) : []),
    // The images of a job change only once: when the job has been read or has ended.
    [id, job === undefined, result?.id, other, summary?.artifacts],
  );
  const looking = useMemo(() => toLooking(query, images), [query, images]);
  const isSide = looking.view === 'side';
  // Panes side by side have another shape, so the zoom of one view does not fit the other.
  const zoom = useMemo(createZoom, [id, isSide]);
  const sizes = useMemo(createSizes, [id]);
  return {
    images,
    looking,
    zoom,
    ...sizes,
    press: (image) => router.setQuery(afterPress(looking, image)),
    swap: () => router.setQuery({ a: looking.b?.ref, b: looking.a?.ref }),
  };
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

/** Reads the other job that the address names for a comparison. */
function useOther(id: string, query: URLSearchParams): Job | undefined {
  const { jobs } = usePage();
  const [other, setOther] = useState<Job | undefined>(undefined);
  const named = [query.get('a'), query.get('b')].find(
    (ref) => ref?.includes('-') && /^[0-9a-f]{8}-/.test(ref),
  );
  const otherId = named === id ? undefined : named;
  useEffect(() => {
    setOther(undefined);
    if (otherId === undefined || otherId === null) return;
    const controller = new AbortController();
    jobs.read(otherId, controller.signal).then(setOther, () => {
      // The other job does not exist, so this job is shown alone.
    });
    return () => controller.abort();
  }, [jobs, otherId]);
  return other;
}
