import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Size } from '../../images/measure-image.ts';
import { text } from '../../text/canvas-text.ts';
import type { Zoom } from '../../zoom/zoom.ts';
import { ZoomBar } from '../../zoom/zoom-bar.tsx';
import type { Way } from '../change-area.ts';
import type { Edit } from '../edit.ts';
import { type Rect, toPercent, unite } from '../plane.ts';
import { RectangleFrame } from '../rectangle/rectangle-menu.tsx';
import type { ShownMask } from '../shown-mask.ts';
import { AreaFrame } from './area-frame.tsx';
import { createLayer, patternOf, useOverlay } from './overlay.ts';
import { drawnSize, toView, type View } from './stage-view.ts';
import { type Place, useStrokes } from './use-strokes.ts';
import './canvas-stage.css';

/** The margin around an area that is shown whole, in CSS pixels. Half of a handle and its focus ring fit into the margin. */
const MARGIN = 28;

/** The task of the stage: painting a mask, or changing the canvas. */
export type Mode = 'mask' | Way;

interface CanvasStageProps {
  readonly bitmap: ImageBitmap;
  readonly edit: Edit;
  readonly shown: ShownMask;
  readonly zoom: Zoom;
  readonly holdsSpace: RefObject<boolean>;
  /** The rectangle that the user is typing, in pixels of the source. */
  readonly frame: ReadonlySignal<Rect | undefined>;
  readonly mode: Mode;
  readonly name: string;
}

/** Renders the image, its mask and its canvas, and handles painting. */
export function CanvasStage({
  bitmap,
  edit,
  shown,
  zoom,
  holdsSpace,
  frame,
  mode,
  name,
}: CanvasStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal<Size>({ width: 1, height: 1 });
  const { area, view, isDragging } = useView(edit, size, zoom);
  useOverlay({ stage, canvas, shown, area, view, size });
  const paints = mode !== 'crop';
  const strokes = useStrokes({ stage, edit, view, holdsSpace, paints });

  useEffect(() => (stage.current ? zoom.attach(stage.current) : undefined), [zoom]);

  const { value: tool } = edit.brush.tool;
  const percent = useComputed(() => toPercent(edit.share.value)).value;
  const pans = strokes.isPanning.value || tool === 'move' || !paints;
  return (
    <div class="canvas-stage">
      <div ref={stage} class="board fill">
        <div
          class="surface fill"
          role="img"
          aria-label={text('mask.stage', { name, percent })}
          data-pans={pans}
          data-tool={tool}
          {...strokes.handlers}
        >
          <SourceImage bitmap={bitmap} edit={edit} view={view} />
          <canvas ref={canvas} class="area" />
          <RectangleFrame frame={frame} scale={edit.scale} view={view} />
          <Trace edit={edit} view={view} />
          {!pans && (tool === 'brush' || tool === 'eraser') && (
            <BrushCircle edit={edit} view={view} at={strokes.at} stage={size} />
          )}
        </div>
        <AreaFrame
          edit={edit}
          view={view}
          way={mode === 'mask' ? undefined : mode}
          onDragging={(dragging) => {
            isDragging.value = dragging;
          }}
        />
      </div>
      <CanvasZoomBar zoom={zoom} view={view} edit={edit} />
    </div>
  );
}

/** Returns the view of the stage. The view shows the image and its canvas, and stays in place while a handle is dragged. */
function useView(edit: Edit, size: ReadonlySignal<Size>, zoom: Zoom) {
  const isDragging = useSignal(false);
  const { plane, scale } = edit;
  const area = useComputed<Rect>(() => {
    const { x, y, width, height } = edit.settings.value.area;
    return { x: x * scale, y: y * scale, width: width * scale, height: height * scale };
  });
  const last = useRef<Rect | undefined>(undefined);
  const board = useComputed<Rect>(() => {
    const whole = { x: 0, y: 0, width: plane.width, height: plane.height };
    if (!isDragging.value || last.current === undefined) {
      last.current = unite(whole, area.value) ?? whole;
    }
    return last.current;
  });
  const view = useComputed(() => toView(board.value, size.value, MARGIN, zoom.transform.value));
  return { area, view, isDragging };
}

interface SourceImageProps {
  readonly bitmap: ImageBitmap;
  readonly edit: Edit;
  readonly view: ReadonlySignal<View>;
}

function SourceImage({ bitmap, edit: { plane }, view }: SourceImageProps) {
  const image = useRef<HTMLCanvasElement>(null);
  const { left, top, scale } = view.value;
  const drawn = drawnSize(plane, scale * Math.min(2, devicePixelRatio));
  const [x, y] = [plane.width / drawn.width, plane.height / drawn.height];
  // A change of the size clears the canvas, so the image is drawn again before the next paint.
  useLayoutEffect(() => {
    // Chromium copies a canvas with a 2D context in each frame of a stroke, also if its pixels stay the same.
    const shown = image.current?.getContext('bitmaprenderer');
    shown?.transferFromImageBitmap(drawImage(bitmap, drawn));
  }, [bitmap, drawn.width, drawn.height]);
  return (
    <canvas
      ref={image}
      class="source"
      width={drawn.width}
      height={drawn.height}
      style={{ transform: `translate(${left}px, ${top}px) scale(${scale * x}, ${scale * y})` }}
    />
  );
}

interface TraceProps {
  readonly edit: Edit;
  readonly view: ReadonlySignal<View>;
}

/** Shows the outline that the lasso or the rectangle is drawing. */
function Trace({ edit, view }: TraceProps) {
  const { value: points } = edit.strokes.trace;
  if (points.length < 2) return null;
  const { left, top, scale } = view.value;
  const path = points.map(({ x, y }) => `${left + x * scale},${top + y * scale}`).join(' ');
  return (
    <svg class="trace fill" aria-hidden="true">
      <polygon points={path} />
      <polygon class="ants" points={path} />
    </svg>
  );
}

interface BrushCircleProps {
  readonly edit: Edit;
  readonly view: ReadonlySignal<View>;
  readonly at: ReadonlySignal<Place | undefined>;
  readonly stage: ReadonlySignal<Size>;
}

const SHOWN_MS = 900;

/** Shows a circle in the size of the brush: at the pointer, or briefly in the middle when the size changes. */
function BrushCircle({ edit, view, at, stage }: BrushCircleProps) {
  const isChanging = useChanging(edit.brush.size);
  const circle = useComputed(() => {
    const diameter = edit.brush.size.value * edit.scale * view.value.scale;
    const middle = { x: stage.value.width / 2, y: stage.value.height / 2 };
    const place = at.value ?? (isChanging.value ? middle : undefined);
    return place && { diameter, x: place.x - diameter / 2, y: place.y - diameter / 2 };
  });
  if (circle.value === undefined) return null;
  const { diameter, x, y } = circle.value;
  return (
    <i
      class="brush-circle"
      data-tool={edit.brush.tool.value}
      style={{
        inlineSize: `${diameter}px`,
        blockSize: `${diameter}px`,
        transform: `translate(${x}px, ${y}px)`,
      }}
    />
  );
}

/** Returns a signal that is true for a short time after each change of a value. */
function useChanging(value: ReadonlySignal<number>): ReadonlySignal<boolean> {
  const isChanging = useSignal(false);
  const first = useRef(value.peek());
  const { value: current } = value;
  useEffect(() => {
    if (current === first.current) return;
    first.current = Number.NaN;
    isChanging.value = true;
    const timer = setTimeout(() => {
      isChanging.value = false;
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [current, isChanging]);
  return isChanging;
}

interface CanvasZoomBarProps {
  readonly zoom: Zoom;
  readonly view: ReadonlySignal<View>;
  readonly edit: Edit;
}

const CORNER = { insetInlineEnd: '12px', insetBlockEnd: '12px' };

/** Renders the zoom bar, which shows the scale of the source's pixels in percent. */
function CanvasZoomBar({ zoom, view, edit }: CanvasZoomBarProps) {
  const percent = Math.round(view.value.scale * edit.scale * 100);
  return (
    <ZoomBar
      zoom={zoom}
      isWhole={zoom.transform.value.k <= 1}
      value={text('zoom.percent', { percent })}
      style={CORNER}
    />
  );
}

/** The colours of the squares behind transparent areas. The colours are the same in both themes. */
const SQUARES = ['oklch(0.6 0 0)', 'oklch(0.72 0 0)'] as const;
/** The number of squares along the longest edge. */
const COUNT = 64;

/** Returns an image in another size, with grey squares behind transparent areas. */
function drawImage(bitmap: ImageBitmap, { width, height }: Size): ImageBitmap {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('not enough memory for a canvas');
  context.imageSmoothingQuality = 'medium';
  context.drawImage(bitmap, 0, 0, width, height);
  const side = Math.max(1, Math.round(Math.max(width, height) / COUNT));
  const tile = createLayer(2 * side, 2 * side);
  for (const [index, colour] of [...SQUARES, ...SQUARES.toReversed()].entries()) {
    tile.fillStyle = colour;
    tile.fillRect((index % 2) * side, Math.floor(index / 2) * side, side, side);
  }
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = patternOf(tile);
  context.fillRect(0, 0, width, height);
  return canvas.transferToImageBitmap();
}
