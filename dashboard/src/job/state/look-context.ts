import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { Job, JobSummary } from '../../api/schemas.ts';
import type { Size } from '../../images/size.ts';
import { usePage } from '../../page-context.ts';
import { createZoom, type Zoom } from '../stage/zoom.ts';
import { type JobImage, toJobImages, toListedImages } from './job-images.ts';
import { afterPress, type Looking, toLooking } from './looking.ts';

/** What the stage shows, and how to change it. */
export interface Look {
  readonly images: readonly JobImage[];
  readonly looking: Looking;
  readonly zoom: Zoom;
  /** The sizes of images that only the browser knows, by their paths. */
  readonly measured: ReadonlySignal<ReadonlyMap<string, Size>>;
  measure(path: string, size: Size): void;
  press(image: JobImage): void;
  swap(): void;
}

export const LookContext = createContext<Look | undefined>(undefined);

/** What is looked at. Throws outside of a job. */
export function useLook(): Look {
  const look = useContext(LookContext);
  if (look === undefined) throw new Error('useLook is called outside of a job');
  return look;
}

/** What the address says of how a job is looked at, and the ways to change it. */
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
    // What is shown of a job changes once: when it has been read, or has ended.
    [id, job === undefined, result?.id, other, summary?.artifacts],
  );
  const looking = useMemo(() => toLooking(query, images), [query, images]);
  const isSide = looking.view === 'side';
  // Panes beside each other have another shape: what was zoomed there is elsewhere here.
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

/** The other job that the address names to compare this one with. */
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
      // It is not there: this one is shown alone.
    });
    return () => controller.abort();
  }, [jobs, otherId]);
  return other;
}
