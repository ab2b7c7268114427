import { type Signal, useSignal } from '@preact/signals';
import { ArrowLeftRight, ChevronsLeftRight } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../controls/button.tsx';
import { thumbnailPath } from '../../images/image-cache.ts';
import type { Size } from '../../images/measure-image.ts';
import { useSteadyImage } from '../../images/use-image.ts';
import { formatNumber, text } from '../../text/text.ts';
import { ZoomBar, ZoomButton } from '../../zoom/zoom-bar.tsx';
import { CredentialsBadge } from '../credentials/credentials-badge.tsx';
import { badgeText, toVerdict } from '../credentials/verdict.ts';
import { LOOKS } from '../credentials/verdict-looks.ts';
import { imageText, type JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { columnsFor, fitInto, longestShown, type Rect } from './geometry.ts';
import { ImageBadge } from './image-badge.tsx';
import {
  ImageLayer,
  INSET_PX,
  LostImage,
  type PlacedImage,
  useBox,
  usePlaces,
} from './image-layer.tsx';

/** Shows one image, or two images to compare. */
export function Viewer() {
  const { looking } = useLook();
  const { view, a, b } = looking;
  if (b === undefined) return null;
  const { width, height } = b.size ?? { width: 1, height: 1 };
  const ratio = (view === 'side' ? 2 : 1) * (width / height);
  return (
    // A is on the left, and places are measured from the left, whatever the direction of the text.
    <div
      class={view === 'side' ? 'viewer two' : 'viewer'}
      dir="ltr"
      style={{ '--ratio': `${ratio}` }}
    >
      {a === undefined ? (
        <ImagePane image={b} beside={[b]} />
      ) : view === 'slider' ? (
        <SliderPane a={a} b={b} />
      ) : (
        <>
          <ImagePane image={a} beside={[a, b]} side="a" />
          <ImagePane image={b} beside={[a, b]} side="b" />
        </>
      )}
    </div>
  );
}

interface ImagePaneProps {
  readonly image: JobImage;
  /** All images in view. The maximum length of an edge is the same for all of these images. */
  readonly beside: readonly JobImage[];
  readonly side?: 'a' | 'b';
}

function ImagePane({ image, beside, side }: ImagePaneProps) {
  const place = usePlaces(beside);
  return (
    <Pane label={imageText(image)}>
      {(pane) => {
        const placed = place(image, pane);
        return (
          <>
            <ImageLayer placed={placed} />
            {side !== 'a' && <StageZoomBar placed={placed} />}
            {side && <ImageBadge placed={placed} side={side} />}
            <CredentialsBadge placed={placed} atEnd={side !== undefined} />
          </>
        );
      }}
    </Pane>
  );
}

interface PaneProps {
  readonly label: string;
  readonly children: (box: Size) => ComponentChildren;
}

const PANS = {
  ArrowLeft: [-0.25, 0],
  ArrowRight: [0.25, 0],
  ArrowUp: [0, -0.25],
  ArrowDown: [0, 0.25],
} as const;

/** Renders a pane of images. The wheel, touch, the mouse and the arrow keys zoom and move the content. */
function Pane({ label, children }: PaneProps) {
  const { zoom } = useLook();
  const element = useRef<HTMLDivElement>(null);
  const box = useBox(element);
  const isZoomed = zoom.transform.value.k > 1;
  useLayoutEffect(() => {
    if (element.current !== null) return zoom.attach(element.current);
    return undefined;
  }, [zoom]);

  function onKeyDown(event: KeyboardEvent): void {
    const way = PANS[event.key as keyof typeof PANS];
    const pane = element.current;
    // While an image is shown whole, the arrow keys switch to other images and jobs.
    if (way === undefined || pane === null || event.target !== pane || !isZoomed) return;
    event.preventDefault();
    zoom.pan(way[0] * pane.clientWidth, way[1] * pane.clientHeight);
  }

  return (
    <div
      ref={element}
      class={isZoomed ? 'pane zoomed-in' : 'pane'}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move the zoomed image
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {box && children(box)}
    </div>
  );
}

/** Shows two images in the same place, divided by a movable line: A on the left, B on the right. */
function SliderPane({ a, b }: { readonly a: JobImage; readonly b: JobImage }) {
  const place = usePlaces([a, b]);
  const share = useSignal(50);
  return (
    <Pane label={text('job.compared', { a: imageText(a), b: imageText(b) })}>
      {(pane) => {
        const [left, right] = [place(a, pane), place(b, pane)];
        const reach = unite(left.seen, right.seen);
        const at = reach.left + (reach.width * share.value) / 100;
        return (
          <>
            <ImageLayer placed={left} clip={`inset(0 ${pane.width - at}px 0 0)`} />
            <ImageLayer placed={right} clip={`inset(0 0 0 ${at}px)`} />
            <ImageBadge placed={left} side="a" />
            <ImageBadge placed={right} side="b" />
            <Divider share={share} reach={reach} />
            <StageZoomBar placed={right} />
          </>
        );
      }}
    </Pane>
  );
}

function unite(a: Rect, b: Rect): Rect {
  const [left, top] = [Math.min(a.left, b.left), Math.min(a.top, b.top)];
  return {
    left,
    top,
    width: Math.max(a.left + a.width, b.left + b.width) - left,
    height: Math.max(a.top + a.height, b.top + b.height) - top,
  };
}

const KEYS: Readonly<Record<string, (share: number) => number>> = {
  ArrowLeft: (share) => share - 1,
  ArrowDown: (share) => share - 1,
  ArrowRight: (share) => share + 1,
  ArrowUp: (share) => share + 1,
  PageDown: (share) => share - 10,
  PageUp: (share) => share + 10,
  Home: () => 0,
  End: () => 100,
};

/**
 * Renders the line between two images. The pointer and the arrow keys move the line inside the rectangle `reach`.
 * `share` is the position of the line, 0 to 100 percent from the left.
 */
function Divider({ share, reach }: { readonly share: Signal<number>; readonly reach: Rect }) {
  const { left, top, width, height } = reach;

  function move(to: number): void {
    share.value = Math.min(100, Math.max(0, to));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step(Math.round(share.peek())));
  }

  function onPointerMove(event: PointerEvent & { readonly currentTarget: HTMLElement }): void {
    const { currentTarget } = event;
    const pane = currentTarget.parentElement;
    if (pane === null || !currentTarget.hasPointerCapture(event.pointerId)) return;
    const at = event.clientX - pane.getBoundingClientRect().left - left;
    move((at / Math.max(1, width)) * 100);
  }

  return (
    <div
      class="divider"
      role="slider"
      tabIndex={0}
      aria-label={text('job.divide')}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share.value)}
      style={{
        insetInlineStart: `${left + (width * share.value) / 100}px`,
        insetBlockStart: `${top}px`,
        blockSize: `${height}px`,
      }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    >
      <span class="middle">
        <Icon of={ChevronsLeftRight} />
      </span>
    </div>
  );
}

const GAP_PX = 8;

/** Shows all images that a job has made, as large as possible. A press shows one image alone. */
export function Grid() {
  const { images, press } = useLook();
  const element = useRef<HTMLUListElement>(null);
  const box = useBox(element);
  const outputs = images.filter(({ kind }) => kind === 'output');
  const { width = 1, height = 1 } = outputs[0]?.size ?? {};
  const columns = box ? columnsFor(outputs.length, width / height, box) : 1;
  const rows = Math.ceil(outputs.length / columns);
  const cell = box && {
    width: (box.width - GAP_PX * (columns - 1)) / columns,
    height: (box.height - GAP_PX * (rows - 1)) / rows,
  };
  return (
    <ul class="grid" ref={element} style={{ gridTemplateColumns: `repeat(${columns}, auto)` }}>
      {cell &&
        outputs.map((image) => (
          <li key={image.ref} class="middle">
            <Cell image={image} cell={cell} onPress={() => press(image)} />
          </li>
        ))}
    </ul>
  );
}

interface CellProps {
  readonly image: JobImage;
  readonly cell: { readonly width: number; readonly height: number };
  readonly onPress: () => void;
}

function Cell({ image, cell, onPress }: CellProps) {
  const size = image.size ?? { width: 1, height: 1 };
  const { width, height } = fitInto(size, cell, longestShown([size]));
  const loaded = useSteadyImage(
    thumbnailPath(image.path.slice('/v1/artifacts/'.length), width, height, devicePixelRatio),
  );
  const shape = { inlineSize: `${width}px`, blockSize: `${height}px` };
  return (
    <button
      type="button"
      class={image.format === 'jpeg' ? 'cell' : 'cell on-pattern'}
      style={shape}
      aria-label={text('job.show', { image: imageText(image) })}
      onClick={onPress}
    >
      {loaded.state === 'ready' && <img class="cover" src={loaded.url} alt="" decoding="async" />}
      {loaded.state === 'failed' && <LostImage error={loaded.error} size={{ width, height }} />}
      <span class="number num chip">{image.number}</span>
      <CellMark image={image} />
    </button>
  );
}

/** Shows in the grid what is known of the credentials of one image. The story opens from the image alone. */
function CellMark({ image: { provenance } }: { readonly image: JobImage }) {
  if (provenance === undefined) return null;
  const verdict = toVerdict(provenance);
  const label = badgeText(verdict, provenance);
  if (label === undefined) return null;
  return (
    <span class="cell-mark chip" title={label}>
      <Icon small of={LOOKS[verdict].icon} />
      <span class="sr">{label}</span>
    </span>
  );
}

/** The minimum width and height, in CSS pixels, of an image whose corner has room for the zoom bar. */
const MIN_PX = 220;

/** Renders the zoom bar over an image, with the buttons for comparing. */
function StageZoomBar({ placed: { pane, seen } }: { readonly placed: PlacedImage }) {
  const { zoom, looking, swap } = useLook();
  // The bar is in the corner of the image, or in the corner of the pane if the image is small.
  const isSmall = seen.width < MIN_PX || seen.height < MIN_PX;
  const corner = isSmall ? { left: 0, top: 0, ...pane } : seen;
  const style = {
    insetInlineEnd: `${pane.width - corner.left - corner.width + INSET_PX}px`,
    insetBlockEnd: `${pane.height - corner.top - corner.height + INSET_PX}px`,
  };
  const { k } = zoom.transform.value;
  const times = formatNumber(Math.round(k * 10) / 10);
  return (
    <ZoomBar
      zoom={zoom}
      isWhole={k <= 1}
      value={k > 1 ? text('zoom.times', { times }) : text('zoom.fit')}
      style={style}
    >
      {looking.a && (
        <ZoomButton label={text('job.swap')} onPress={swap}>
          <Icon of={ArrowLeftRight} />
        </ZoomButton>
      )}
    </ZoomBar>
  );
}
