import { useSignal } from '@preact/signals';
import { X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../controls/button.tsx';
import { useImage } from '../images/use-image.ts';
import type { Attachment } from '../make/draft.ts';
import { usePage } from '../page-context.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import { createZoom, type Zoom } from '../zoom/zoom.ts';
import { openImage, writeMask } from './mask-image.ts';
import { MaskTools } from './mask-tools.tsx';
import { createPainting, type Painting } from './painting.ts';
import { planeSize, type Rect } from './plane.ts';
import { MaskStage } from './stage/mask-stage.tsx';
import './mask-editor.css';

/** Renders the mask editor, which covers the whole page. Escape and Back close the editor. */
export function MaskEditor({ source }: { readonly source: Attachment }) {
  const { router } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const opened = useOpenedImage(source);
  const isDone = useOfferOfUnused(opened);
  useEffect(() => {
    const box = dialog.current;
    const before = document.activeElement;
    box?.showModal();
    return () => {
      box?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="mask-editor"
      aria-labelledby="mask-title"
      onCancel={(event) => {
        event.preventDefault();
        router.back();
      }}
    >
      <header class="mask-head view-bar bar">
        <div class="row">
          <IconButton icon={X} label={text('mask.close')} onClick={() => router.back()} />
          <h2 id="mask-title" class="title cut">
            <bdi>{text('mask.title', { name: source.name })}</bdi>
          </h2>
        </div>
        <p class="soft">{text('mask.hint')}</p>
        <MaskEnds opened={opened} onDone={isDone} />
      </header>
      <Content opened={opened} name={source.name} />
    </dialog>
  );
}

function Content({ opened, name }: { readonly opened: Opened; readonly name: string }) {
  if (opened.state === 'loading') {
    return (
      <p class="mask-note soft" role="status">
        {text('mask.opening')}
      </p>
    );
  }
  if (opened.state === 'failed') {
    return (
      <div class="mask-note" role="alert">
        <p>{opened.title}</p>
        <p class="soft">{opened.detail}</p>
      </div>
    );
  }
  return <Work bitmap={opened.bitmap} painting={opened.painting} name={name} />;
}

interface WorkProps {
  readonly bitmap: ImageBitmap;
  readonly painting: Painting;
  readonly name: string;
}

function Work({ bitmap, painting, name }: WorkProps) {
  const holdsSpace = useRef(false);
  const [zoom] = useState(() =>
    createZoom({ filter: (event) => isForZoom(event, holdsSpace.current), wheelMoves: true }),
  );
  const frame = useSignal<Rect | undefined>(undefined);
  useMaskShortcuts(painting, zoom);
  return (
    <>
      <MaskStage
        bitmap={bitmap}
        painting={painting}
        zoom={zoom}
        holdsSpace={holdsSpace}
        frame={frame}
        name={name}
      />
      <MaskTools painting={painting} frame={frame} />
    </>
  );
}

/** Renders the buttons that save and remove the mask. Both call `onDone`. */
function MaskEnds({ opened, onDone }: { readonly opened: Opened; readonly onDone: () => void }) {
  const { draft, router, undo } = usePage();
  const [isWriting, setWriting] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const painting = opened.state === 'ready' ? opened.painting : undefined;
  const canUse = painting !== undefined && painting.share.value > 0 && !isWriting;

  async function use(): Promise<void> {
    if (painting === undefined || !canUse) return;
    setWriting(true);
    setFailed(false);
    try {
      const mask = await writeMask(painting.plane, painting.source);
      // If the editor was closed while the mask was being written, the mask is not saved.
      if (!isShown.current) return;
      onDone();
      draft.setMask(mask);
      router.back();
    } catch {
      setFailed(true);
      setWriting(false);
    }
  }

  function remove(): void {
    const mask = draft.mask.peek();
    onDone();
    draft.setMask(undefined);
    undo.offer(text('mask.removed'), () => draft.setMask(mask));
    router.back();
  }

  useShortcuts({ '$mod+Enter': () => void use() }, true, 'dialog');
  return (
    <div class="row">
      {hasFailed && (
        <p class="bad" role="alert">
          {text('mask.noMemory')}
        </p>
      )}
      {draft.mask.value !== undefined && (
        <Button look="quiet" onClick={remove}>
          {text('mask.remove')}
        </Button>
      )}
      <Button look="primary" disabled={!canUse} onClick={() => void use()}>
        {text('mask.use')}
      </Button>
    </div>
  );
}

/** Offers to restore a mask that was not saved when the editor closes. Returns a function that prevents the offer. */
function useOfferOfUnused(opened: Opened): () => void {
  const { draft, undo } = usePage();
  const isDone = useRef(false);
  const painting = opened.state === 'ready' ? opened.painting : undefined;
  useEffect(() => {
    if (painting === undefined) return;
    return () => {
      const { canUndo } = painting.steps.peek();
      if (isDone.current || !canUndo || painting.share.peek() === 0) return;
      undo.offer(text('mask.notUsed'), () => {
        void writeMask(painting.plane, painting.source).then(draft.setMask);
      });
    };
  }, [painting, draft, undo]);
  return () => {
    isDone.current = true;
  };
}

/** Returns true if an event may zoom or move the view. One finger, a pen and the left button paint instead. */
function isForZoom(event: Event, holdsSpace: boolean): boolean {
  if (event instanceof WheelEvent) return event.ctrlKey || event.metaKey;
  if (typeof TouchEvent !== 'undefined' && event instanceof TouchEvent) {
    return event.touches.length > 1;
  }
  if (!(event instanceof MouseEvent)) return false;
  return event.button === 1 || (event.button === 0 && holdsSpace);
}

/** The distance, in CSS pixels, by which an arrow key moves the view. */
const PAN = 80;

export function useMaskShortcuts(painting: Painting, zoom: Zoom): void {
  const { undo, redo } = painting;
  const pan = (right: number, down: number) => (event: KeyboardEvent) => {
    // In a radio group, the arrow keys move the selection instead of the view.
    if (event.target instanceof Element && event.target.closest('[role="radiogroup"]')) return;
    zoom.pan(right * PAN, down * PAN);
  };
  useShortcuts(
    {
      b: () => painting.brush.choose('brush'),
      e: () => painting.brush.choose('eraser'),
      '(\\[)': () => painting.brush.step(-1),
      '(\\])': () => painting.brush.step(1),
      i: painting.invert,
      z: undo,
      '$mod+z': (event) => prevented(event, undo),
      '$mod+Shift+z': (event) => prevented(event, redo),
      '$mod+y': (event) => prevented(event, redo),
      '(\\+|=)': zoom.nearer,
      '-': zoom.farther,
      '0': zoom.fit,
      ArrowLeft: pan(-1, 0),
      ArrowRight: pan(1, 0),
      ArrowUp: pan(0, -1),
      ArrowDown: pan(0, 1),
    },
    true,
    'dialog',
  );
}

function prevented(event: KeyboardEvent, run: () => void): void {
  event.preventDefault();
  run();
}

export type Opened =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly bitmap: ImageBitmap; readonly painting: Painting }
  | { readonly state: 'failed'; readonly title: string; readonly detail: string };

/** Loads the source of the draft, and its mask if there is one, for painting. */
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
