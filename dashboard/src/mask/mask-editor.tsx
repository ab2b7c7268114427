import { useSignal } from '@preact/signals';
import { X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { usePage } from '../page-context.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { text } from '../text/text.ts';
import type { MaskEditorProps } from './mask-editor-props.ts';
import { writeMask } from './mask-image.ts';
import { MaskTools } from './mask-tools.tsx';
import type { Painting } from './painting.ts';
import type { Rect } from './plane.ts';
import { MaskStage } from './stage/mask-stage.tsx';
import { createStageZoom } from './stage/stage-zoom.ts';
import { useMaskShortcuts } from './use-mask-shortcuts.ts';
import { type Opened, useOpenedImage } from './use-opened-image.ts';
import './mask-editor.css';

/** Paints what of the source may change, over the whole page. Escape and Back close it; what was painted can be brought back. */
export function MaskEditor({ source }: MaskEditorProps) {
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
      <header class="mask-head">
        <div>
          <IconButton icon={X} label={text('mask.close')} onClick={() => router.back()} />
          <h2 id="mask-title" class="cut">
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
  const [zoom] = useState(() => createStageZoom(() => holdsSpace.current));
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

interface EndsProps {
  readonly opened: Opened;
  /** Called when what was painted is used, or no longer wanted. */
  readonly onDone: () => void;
}

function MaskEnds({ opened, onDone }: EndsProps) {
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
      // Closed while it was written, it is not used: what was painted can be brought back.
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
    <div>
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

/** Closed without being used, what was painted can be brought back for as long as undoing is offered. Returns what ends that. */
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
