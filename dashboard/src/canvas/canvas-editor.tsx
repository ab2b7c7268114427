import { useSignal } from '@preact/signals';
import { ArrowLeft, Brush, Crop, Redo2, Scaling, Undo2 } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../controls/button.tsx';
import { Segmented } from '../controls/inputs.tsx';
import { useImage } from '../images/use-image.ts';
import type { Attachment } from '../make/draft.ts';
import { usePage } from '../page-context.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { ToastList } from '../shell/toast-list.tsx';
import { text } from '../text/canvas-text.ts';
import { toFailureText } from '../text/failure-text.ts';
import { createZoom, type Zoom } from '../zoom/zoom.ts';
import { isWhole } from './canvas-area.ts';
import { CanvasTools } from './canvas-tools.tsx';
import { createEdit, type Edit } from './edit.ts';
import { type KeptEdit, keepEdit } from './keep-edit.ts';
import { openImage } from './mask-image.ts';
import { planeSize, type Rect } from './plane.ts';
import { createShownMask, type ShownMask } from './shown-mask.ts';
import { CanvasSide } from './side/canvas-side.tsx';
import { CanvasStage, type Mode } from './stage/canvas-stage.tsx';
import './canvas-editor.css';

interface CanvasEditorProps {
  readonly source: Attachment;
  readonly mode: Mode;
}

/**
 * Renders the canvas, which covers the whole page: mask, extend and crop share one edit. Escape and Back leave the canvas, and the
 * draft keeps the edit.
 */
export function CanvasEditor({ source, mode }: CanvasEditorProps) {
  const { router } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const opened = useOpenedImage(source);
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
      class="canvas-editor"
      data-mode={mode}
      aria-labelledby="canvas-title"
      onCancel={(event) => {
        event.preventDefault();
        void router.back();
      }}
    >
      <header class="canvas-head view-bar bar">
        <div class="row">
          <IconButton
            icon={ArrowLeft}
            label={text('canvas.leave')}
            onClick={() => void router.back()}
          />
          <h2 id="canvas-title" class="title cut">
            <bdi>{text('canvas.title', { name: source.name })}</bdi>
          </h2>
          {opened.state === 'ready' && (
            <span class="only-wide soft num">
              {text('size', {
                width: String(opened.edit.source.width),
                height: String(opened.edit.source.height),
              })}
            </span>
          )}
        </div>
        <ModeChoice mode={mode} />
        {opened.state === 'ready' && <EditSteps edit={opened.edit} />}
      </header>
      <Content opened={opened} source={source} mode={mode} />
      {/* A modal dialog covers the messages of the page and makes them inert. */}
      <ToastList />
    </dialog>
  );
}

const MODES = { mask: Brush, extend: Scaling, crop: Crop } as const;

function ModeChoice({ mode }: { readonly mode: Mode }) {
  const { router } = usePage();
  return (
    <div class="modes row">
      <Segmented
        label={text('canvas.mode')}
        value={mode}
        options={(['mask', 'extend', 'crop'] as const).map((value) => ({
          value,
          label: (
            <>
              <Icon of={MODES[value]} />
              {text(`canvas.mode.${value}`)}
            </>
          ),
        }))}
        onChange={(next) => router.openLayer(next, { replace: true })}
      />
    </div>
  );
}

/** Renders the buttons that undo and repeat the steps of the edit, and remove the edit. */
function EditSteps({ edit }: { readonly edit: Edit }) {
  const { canUndo, canRedo } = edit.steps.value;
  const isNothing = edit.share.value === 0 && isWhole(edit.settings.value.area, edit.source);
  return (
    <div class="steps-of-edit row">
      <IconButton
        icon={Undo2}
        label={text('action.undo')}
        disabled={!canUndo}
        onClick={edit.undo}
      />
      <IconButton icon={Redo2} label={text('mask.redo')} disabled={!canRedo} onClick={edit.redo} />
      <Button disabled={isNothing} onClick={edit.discard}>
        {text('canvas.discard')}
      </Button>
    </div>
  );
}

interface ContentProps extends CanvasEditorProps {
  readonly opened: Opened;
}

function Content({ opened, source, mode }: ContentProps) {
  if (opened.state === 'loading') {
    return (
      <p class="canvas-note soft" role="status">
        {text('mask.opening')}
      </p>
    );
  }
  if (opened.state === 'failed') {
    return (
      <div class="canvas-note" role="alert">
        <p>{opened.title}</p>
        <p class="soft">{opened.detail}</p>
      </div>
    );
  }
  return <Work {...opened} source={source} mode={mode} />;
}

type WorkProps = CanvasEditorProps & Extract<Opened, { readonly state: 'ready' }>;

function Work({ bitmap, edit, shown, kept, hasFailed, source, mode }: WorkProps) {
  const holdsSpace = useRef(false);
  const latest = useRef(mode);
  latest.current = mode;
  const [zoom] = useState(() =>
    createZoom({
      filter: (event) => {
        const pans =
          holdsSpace.current || latest.current === 'crop' || edit.brush.tool.peek() === 'move';
        return isForZoom(event, pans);
      },
      wheelMoves: true,
    }),
  );
  const frame = useSignal<Rect | undefined>(undefined);
  useCanvasShortcuts(edit, zoom, mode);
  return (
    <>
      <div class="canvas-main">
        <CanvasStage
          bitmap={bitmap}
          edit={edit}
          shown={shown}
          zoom={zoom}
          holdsSpace={holdsSpace}
          frame={frame}
          mode={mode}
          name={source.name}
        />
        {mode !== 'crop' && <CanvasTools edit={edit} frame={frame} />}
        <p id="canvas-handle-keys" class="sr">
          {text('canvas.handle.keys')}
        </p>
      </div>
      <CanvasSide edit={edit} kept={kept} hasFailed={hasFailed} source={source} mode={mode} />
    </>
  );
}

/** Returns true if an event may zoom or move the view. `pans` is true if the left button moves the view instead of painting. */
function isForZoom(event: Event, pans: boolean): boolean {
  if (event instanceof WheelEvent) return event.ctrlKey || event.metaKey;
  if (typeof TouchEvent !== 'undefined' && event instanceof TouchEvent) {
    return event.touches.length > 1 || (pans && !isOnHandle(event));
  }
  if (!(event instanceof MouseEvent)) return false;
  return event.button === 1 || (event.button === 0 && pans && !isOnHandle(event));
}

function isOnHandle({ target }: Event): boolean {
  return target instanceof Element && target.closest('.grab') !== null;
}

/** The distance, in CSS pixels, by which an arrow key moves the view. */
const PAN = 80;

function useCanvasShortcuts(edit: Edit, zoom: Zoom, mode: Mode): void {
  const { undo, redo, brush } = edit;
  const pan = (right: number, down: number) => (event: KeyboardEvent) => {
    // In a radio group, the arrow keys move the selection instead of the view.
    if (event.target instanceof Element && event.target.closest('[role="radiogroup"]')) return;
    zoom.pan(right * PAN, down * PAN);
  };
  const tools = {
    b: () => brush.choose('brush'),
    e: () => brush.choose('eraser'),
    l: () => brush.choose('lasso'),
    r: () => brush.choose('rectangle'),
    '(\\[)': () => brush.step(-1),
    '(\\])': () => brush.step(1),
    i: edit.invert,
  };
  useShortcuts(tools, mode !== 'crop', 'dialog');
  useShortcuts(
    {
      z: undo,
      '$mod+z': (event) => prevented(event, undo),
      '$mod+Shift+z': (event) => prevented(event, redo),
      '$mod+y': (event) => prevented(event, redo),
      '(\\+|=)': zoom.zoomIn,
      '-': zoom.zoomOut,
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

/** Runs an action instead of the action of the browser. While text is typed, the browser undoes the typing instead. */
function prevented(event: KeyboardEvent, run: () => void): void {
  if (event.target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  run();
}

type Opened =
  | { readonly state: 'loading' }
  | {
      readonly state: 'ready';
      readonly bitmap: ImageBitmap;
      readonly edit: Edit;
      readonly shown: ShownMask;
      readonly kept: KeptEdit;
      /** True if there was not enough memory to store the mask. */
      readonly hasFailed: { readonly value: boolean };
    }
  | { readonly state: 'failed'; readonly title: string; readonly detail: string };

/** Loads the source of the draft with its edit. The draft keeps all changes. */
function useOpenedImage({ key, content, name }: Attachment): Opened {
  const { draft } = usePage();
  const [opened, setOpened] = useState<Opened>({ state: 'loading' });
  const hasFailed = useSignal(false);
  const remote = useImage(
    content instanceof Blob ? undefined : `/v1/artifacts/${content.artifactId}`,
  );
  const blob = content instanceof Blob ? content : remote.state === 'ready' && remote.blob;

  useEffect(() => {
    if (!blob) return;
    let isShown = true;
    let close = () => {};
    openImage(blob, draft.mask.peek()).then(
      ({ size, bitmap, pixels }) => {
        if (!isShown) return bitmap.close();
        const area = draft.attachments.peek().find((each) => each.key === key)?.canvas;
        const edge = draft.maskEdge.peek();
        const edit = createEdit({ source: size, size: planeSize(size), pixels, area, edge });
        const shown = createShownMask(edit);
        const kept = keepEdit(edit, key, draft, () => {
          hasFailed.value = true;
        });
        close = () => {
          kept.close();
          shown.close();
          bitmap.close();
        };
        setOpened({ state: 'ready', bitmap, edit, shown, kept, hasFailed });
      },
      () => {
        const title = text('make.file.cannotBeRead', { name });
        setOpened({ state: 'failed', title, detail: text('mask.unreadable') });
      },
    );
    return () => {
      isShown = false;
      close();
    };
  }, [blob, draft, key, name, hasFailed]);

  if (remote.state !== 'failed') return opened;
  const { title, text: detail } = toFailureText(remote.error, Date.now());
  return { state: 'failed', title, detail };
}
