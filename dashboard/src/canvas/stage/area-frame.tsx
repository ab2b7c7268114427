import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { text } from '../../text/canvas-text.ts';
import { type CanvasArea, isWhole } from '../canvas-area.ts';
import { beyondEdges, HANDLES, type Handle, moveHandle, type Way } from '../change-area.ts';
import type { Edit } from '../edit.ts';
import { seenAt, type View } from './stage-view.ts';
import './area-frame.css';

interface AreaFrameProps {
  readonly edit: Edit;
  readonly view: ReadonlySignal<View>;
  /** The way in which the handles change the canvas. Undefined if the frame has no handles. */
  readonly way: Way | undefined;
  /** Called when a handle is taken and let go. The view stays in place in between. */
  readonly onDragging: (isDragging: boolean) => void;
}

/** Renders the frame of the canvas. Its handles are moved by a pointer, or by the arrow keys. */
export function AreaFrame({ edit, view, way, onDragging }: AreaFrameProps) {
  const { area } = edit.settings.value;
  if (way === undefined && isWhole(area, edit.source)) return null;
  const { left, top, scale } = view.value;
  const rect = seenAt(area, { left, top, scale: scale * edit.scale });
  return (
    <div
      class="area-frame"
      style={{
        inlineSize: `${rect.width}px`,
        blockSize: `${rect.height}px`,
        transform: `translate(${rect.x}px, ${rect.y}px)`,
      }}
    >
      <Badges area={area} edit={edit} />
      {way !== undefined && (
        <>
          {way === 'crop' && <Grab handle="whole" {...{ edit, view, way, onDragging }} />}
          {HANDLES.map((handle) => (
            <Grab key={handle} handle={handle} {...{ edit, view, way, onDragging }} />
          ))}
        </>
      )}
    </div>
  );
}

function Badges({ area, edit }: { readonly area: CanvasArea; readonly edit: Edit }) {
  const { width, height } = area;
  return (
    <>
      {Object.entries(beyondEdges(area, edit.source)).map(
        ([side, pixels]) =>
          pixels > 0 && (
            <span key={side} class={`badge chip num ${side}`}>
              {text('canvas.more', { count: pixels })}
            </span>
          ),
      )}
      <span class="badge chip num size">
        {text('size', { width: String(width), height: String(height) })}
      </span>
    </>
  );
}

/** The distances of one key press in pixels: of an arrow, and of an arrow with Shift. */
const STEP = 8;
const LONG_STEP = 64;

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface GrabProps extends Omit<AreaFrameProps, 'way'> {
  readonly handle: Handle;
  readonly way: Way;
}

function Grab({ handle, edit, view, way, onDragging }: GrabProps) {
  const { start, handlers } = useDrag(handle, { edit, view, way, onDragging });
  return (
    <button
      type="button"
      class={`grab ${handle}`}
      data-held={start.value}
      aria-label={text(`canvas.handle.${handle}`)}
      aria-describedby="canvas-handle-keys"
      onKeyDown={(event) => {
        const arrow = ARROWS[event.key];
        if (arrow === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const step = event.shiftKey ? LONG_STEP : STEP;
        const by = { x: arrow[0] * step, y: arrow[1] * step };
        const { area } = edit.settings.peek();
        edit.set({ area: moveHandle(area, handle, by, way, edit.source) }, `handle ${handle}`);
      }}
      {...handlers}
    />
  );
}

type GrabEvent = TargetedPointerEvent<HTMLButtonElement>;

function useDrag(handle: Handle, { edit, view, way, onDragging }: Omit<GrabProps, 'handle'>) {
  const isHeld = useSignal(false);
  const from = useRef<{ x: number; y: number; area: CanvasArea } | undefined>(undefined);

  function end(): void {
    if (from.current === undefined) return;
    from.current = undefined;
    isHeld.value = false;
    edit.endDrag();
    onDragging(false);
  }

  return {
    start: isHeld as ReadonlySignal<boolean>,
    handlers: {
      onPointerDown(event: GrabEvent): void {
        if (event.button !== 0 || !event.isPrimary) {
          end();
          return;
        }
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, y: event.clientY, area: edit.settings.peek().area };
        isHeld.value = true;
        edit.beginDrag();
        onDragging(true);
      },
      onPointerMove({ clientX, clientY }: GrabEvent): void {
        if (from.current === undefined) return;
        const { x, y, area } = from.current;
        const scale = view.peek().scale * edit.scale;
        const by = { x: Math.round((clientX - x) / scale), y: Math.round((clientY - y) / scale) };
        edit.drag(moveHandle(area, handle, by, way, edit.source));
      },
      onPointerUp: end,
      onPointerCancel: end,
    },
  };
}
