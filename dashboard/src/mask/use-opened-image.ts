import { useEffect, useState } from 'preact/hooks';
import { useImage } from '../images/use-image.ts';
import type { Attachment } from '../make/draft.ts';
import { usePage } from '../page-context.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import { openImage } from './mask-image.ts';
import { createPainting, type Painting } from './painting.ts';
import { planeSize } from './plane-size.ts';

export type Opened =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly bitmap: ImageBitmap; readonly painting: Painting }
  | { readonly state: 'failed'; readonly title: string; readonly detail: string };

/** The source of the draft with the mask that it has, ready to be painted. */
export function useOpenedImage({ content, name }: Attachment): Opened {
  const { draft } = usePage();
  const [opened, setOpened] = useState<Opened>({ state: 'loading' });
  const remote = useImage(
    content instanceof Blob ? undefined : `/v1/artifacts/${content.artifactId}`,
  );
  const blob = content instanceof Blob ? content : remote.state === 'ready' && remote.blob;

  useEffect(() => {
    if (!blob) return;
    let isShown = true;
    let bitmap: ImageBitmap | undefined;
    openImage(blob, draft.mask.peek()).then(
      ({ size, bitmap: image, pixels }) => {
        if (!isShown) return image.close();
        bitmap = image;
        setOpened({
          state: 'ready',
          bitmap,
          painting: createPainting(size, planeSize(size), pixels),
        });
      },
      () => {
        const title = text('make.file.cannotBeRead', { name });
        setOpened({ state: 'failed', title, detail: text('mask.unreadable') });
      },
    );
    return () => {
      isShown = false;
      bitmap?.close();
    };
  }, [blob, draft, name]);

  if (remote.state !== 'failed') return opened;
  const { title, text: detail } = toFailureText(remote.error, Date.now());
  return { state: 'failed', title, detail };
}
