import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Size } from '../../images/size.ts';
import { text } from '../../text/text.ts';
import type { Painting } from '../painting.ts';
import type { Rect } from '../plane.ts';
import { RectangleFrame } from '../rectangle/rectangle-frame.tsx';
import { toPercent } from '../share.ts';
import { BrushCircle } from './brush-circle.tsx';
import { drawImage } from './draw-image.ts';
import { MaskZoomBar } from './mask-zoom-bar.tsx';
import { drawnSize, toView } from './stage-view.ts';
import type { StageZoom } from './stage-zoom.ts';
import { useOverlay } from './use-overlay.ts';
import { useStrokes } from './use-strokes.ts';
import './mask-stage.css';

/** Around an image that is shown whole, in CSS pixels. */
const MARGIN = 16;

interface Props {
  readonly bitmap: ImageBitmap;
  readonly painting: Painting;
  readonly zoom: StageZoom;
  readonly holdsSpace: RefObject<boolean>;
  /** A rectangle that is being typed, in pixels of the source. */
  readonly frame: ReadonlySignal<Rect | undefined>;
  readonly name: string;
}

/** The image with its mask, to be painted on. */
export function MaskStage({ bitmap, painting, zoom, holdsSpace, frame, name }: Props) {
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
  // Another size has emptied the canvas: it is drawn before that is seen.
  useLayoutEffect(() => {
    if (image.current !== null) drawImage(image.current, bitmap);
  }, [bitmap, drawn.width, drawn.height]);
  return (
    <div class="mask-stage">
      <div
        ref={stage}
        class="surface"
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
