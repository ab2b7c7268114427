import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Size } from '../../images/measure-image.ts';
import { text } from '../../text/text.ts';
import type { Zoom } from '../../zoom/zoom.ts';
import { ZoomBar } from '../../zoom/zoom-bar.tsx';
import type { Painting } from '../painting.ts';
import { type Rect, toPercent } from '../plane.ts';
import { RectangleFrame } from '../rectangle/rectangle-menu.tsx';
import { contextOf, createLayer, patternOf, useOverlay } from './overlay.ts';
import { drawnSize, toView, type View } from './stage-view.ts';
import { type Place, useStrokes } from './use-strokes.ts';
import './mask-stage.css';

/** The margin around an image that is shown whole, in CSS pixels. */
const MARGIN = 16;

interface MaskStageProps {
  readonly bitmap: ImageBitmap;
  readonly painting: Painting;
  readonly zoom: Zoom;
  readonly holdsSpace: RefObject<boolean>;
  /** The rectangle that the user is typing, in pixels of the source. */
  readonly frame: ReadonlySignal<Rect | undefined>;
  readonly name: string;
}

/** Renders the image and its mask, and handles painting. */
export function MaskStage({ bitmap, painting, zoom, holdsSpace, frame, name }: MaskStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLCanvasElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal<Size>({ width: 1, height: 1 });
  const { plane } = painting;
  const view = useComputed(() => toView(plane, size.value, MARGIN, zoom.transform.value));
  useOverlay({ stage, canvas, painting, view, size });
  const strokes = useStrokes({ stage, painting, view, holdsSpace });

  useEffect(() => (stage.current ? zoom.attach(stage.current) : undefined), [zoom]);

  const { left, top, scale } = view.value;
  const drawn = drawnSize(plane, scale * Math.min(2, devicePixelRatio));
  const [x, y] = [plane.width / drawn.width, plane.height / drawn.height];
  // A change of the size clears the canvas, so the image is drawn again before the next paint.
  useLayoutEffect(() => {
    if (image.current !== null) drawImage(image.current, bitmap);
  }, [bitmap, drawn.width, drawn.height]);
  return (
    <div class="mask-stage">
      <div
        ref={stage}
        class="surface fill"
        role="img"
        aria-label={text('mask.stage', { name, percent: toPercent(painting.share.value) })}
        data-pans={strokes.isPanning.value}
        {...strokes.handlers}
      >
        <canvas
          ref={image}
          class="source"
          width={drawn.width}
          height={drawn.height}
          style={{
            transform: `translate(${left}px, ${top}px) scale(${scale * x}, ${scale * y})`,
          }}
        />
        <canvas ref={canvas} class="area" />
        <RectangleFrame frame={frame} scale={painting.scale} view={view} />
        <BrushCircle painting={painting} view={view} at={strokes.at} stage={size} />
      </div>
      <MaskZoomBar zoom={zoom} view={view} painting={painting} />
    </div>
  );
}

interface BrushCircleProps {
  readonly painting: Painting;
  readonly view: ReadonlySignal<View>;
  readonly at: ReadonlySignal<Place | undefined>;
  readonly stage: ReadonlySignal<Size>;
}

const SHOWN_MS = 900;

/** Shows a circle in the size of the brush: at the pointer, or briefly in the middle when the size changes. */
function BrushCircle({ painting, view, at, stage }: BrushCircleProps) {
  const isChanging = useChanging(painting.brush.size);
  const circle = useComputed(() => {
    const diameter = painting.brush.size.value * painting.scale * view.value.scale;
    const middle = { x: stage.value.width / 2, y: stage.value.height / 2 };
    const place = at.value ?? (isChanging.value ? middle : undefined);
    return place && { diameter, x: place.x - diameter / 2, y: place.y - diameter / 2 };
  });
  if (circle.value === undefined) return null;
  const { diameter, x, y } = circle.value;
  return (
    <i
      class="brush-circle"
      data-tool={painting.brush.tool.value}
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

interface MaskZoomBarProps {
  readonly zoom: Zoom;
  readonly view: ReadonlySignal<View>;
  readonly painting: Painting;
}

const CORNER = { insetInlineEnd: '12px', insetBlockEnd: '12px' };

/** Renders the zoom bar, which shows the scale of the source's pixels in percent. */
function MaskZoomBar({ zoom, view, painting }: MaskZoomBarProps) {
  const percent = Math.round(view.value.scale * painting.scale * 100);
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

/** Draws an image over a whole canvas, with grey squares behind transparent areas. */
function drawImage(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const context = contextOf(canvas);
  context.imageSmoothingQuality = 'medium';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const side = Math.max(1, Math.round(Math.max(canvas.width, canvas.height) / COUNT));
  const tile = createLayer(2 * side, 2 * side);
  for (const [index, colour] of [...SQUARES, ...SQUARES.toReversed()].entries()) {
    tile.fillStyle = colour;
    tile.fillRect((index % 2) * side, Math.floor(index / 2) * side, side, side);
  }
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = patternOf(tile);
  context.fillRect(0, 0, canvas.width, canvas.height);
}
