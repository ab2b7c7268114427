import { useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import type { LoadedImage } from './image-cache.ts';

const LOADING: LoadedImage = { state: 'loading' };

/** The image at a path below /v1 for as long as the component shows it; loading where there is no path yet. */
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

/** Like `useImage`, but what was ready stays until the image at the next path is. */
export function useSteadyImage(path: string | undefined): LoadedImage {
  const image = useImage(path);
  const last = useRef(image);
  if (image.state === 'ready' || last.current.state !== 'ready') last.current = image;
  return last.current;
}
