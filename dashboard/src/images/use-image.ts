import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job } from '../api/schemas.ts';
import { usePage } from '../page-context.ts';
import { LOADING, type LoadedImage } from './image-cache.ts';

/** Returns the image at a path below /v1 while the component is mounted. Without a path, the state is `loading`. */
export function useImage(path: string | undefined): LoadedImage {
  const { images } = usePage();
  const [shown, setShown] = useState<LoadedImage>(LOADING);

  useEffect(() => {
    if (path === undefined) {
      setShown(LOADING);
      return;
    }
    const stop = images.acquire(path).subscribe(setShown);
    return () => {
      stop();
      images.release(path);
    };
  }, [images, path]);
  return shown;
}

/** Returns the image at a path like `useImage`, but keeps the previous image until the next image is ready. */
export function useSteadyImage(path: string | undefined): LoadedImage {
  const image = useImage(path);
  const last = useRef(image);
  if (image.state === 'ready' || last.current.state !== 'ready') last.current = image;
  return last.current;
}

/** Returns the latest unfinished image of an open job. */
export function usePartialImage({ id, progress }: Pick<Job, 'id' | 'progress'>): LoadedImage {
  const partials = progress?.partial_images ?? 0;
  // The fragment gives each unfinished image its own address in the cache, and is not sent to the bridge.
  return useSteadyImage(partials > 0 ? `/v1/jobs/${id}/partial#${partials}` : undefined);
}
