import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject, TargetedPointerEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Edit } from '../edit.ts';
import type { Point } from '../strokes.ts';
import type { View } from './stage-view.ts';

interface Deps {
  readonly stage: RefObject<HTMLElement | null>;
  readonly edit: Edit;
  /** True if the tools paint. In a crop, the pointer only moves the view. */
  readonly paints: boolean;
  readonly view: ReadonlySignal<View>;
  readonly holdsSpace: RefObject<boolean>;
}

/** A position on the stage in CSS pixels. */
export type Place = Pick<Point, 'x' | 'y'>;

type StageEvent = TargetedPointerEvent<HTMLDivElement>;

/** Handles pointer events. The first pointer paints. A second finger cancels the stroke, and both fingers zoom. */
export function useStrokes({ stage, edit, view, holdsSpace, paints }: Deps) {
  /** The position of the pointer over the stage in CSS pixels. Undefined if the pointer is elsewhere. */
  const at = useSignal<Place | undefined>(undefined);
  const isPanning = useHeldSpace(holdsSpace);
  const active = useSignal<number | undefined>(undefined);

  function toPlace({ clientX, clientY }: PointerEvent): Place {
    const { left = 0, top = 0 } = stage.current?.getBoundingClientRect() ?? {};
    return { x: clientX - left, y: clientY - top };
  }

  function toPoint(event: PointerEvent): Point {
    const { x, y } = toPlace(event);
    const { left, top, scale } = view.peek();
    const pressure = event.pointerType === 'pen' ? event.pressure : 1;
    return { x: (x - left) / scale, y: (y - top) / scale, pressure };
  }

  function onPointerDown(event: StageEvent): void {
    if (!event.isPrimary) {
      edit.strokes.cancel();
      active.value = undefined;
      return;
    }
    if (event.button !== 0 || holdsSpace.current || !paints) return;
    if (edit.brush.tool.peek() === 'move') return;
    event.currentTarget.setPointerCapture(event.pointerId);
    active.value = event.pointerId;
    at.value = toPlace(event);
    edit.strokes.begin(toPoint(event), event.altKey);
  }

  function onPointerMove(event: StageEvent): void {
    at.value =
      event.pointerType === 'touch' && active.value === undefined ? undefined : toPlace(event);
    if (event.pointerId !== active.value) return;
    const events = event.getCoalescedEvents();
    for (const each of events.length > 0 ? events : [event]) edit.strokes.extend(toPoint(each));
  }

  function onPointerUp(event: StageEvent): void {
    if (event.pointerType === 'touch') at.value = undefined;
    if (event.pointerId !== active.value) return;
    active.value = undefined;
    // When a pen is lifted, the event has a pressure of 0, so the stroke ends at the point of the previous event.
    edit.strokes.end(event.pointerType === 'pen' ? undefined : toPoint(event));
  }

  function onPointerCancel(event: StageEvent): void {
    if (event.pointerId !== active.value) return;
    active.value = undefined;
    edit.strokes.cancel();
  }

  function onPointerLeave(): void {
    at.value = undefined;
  }

  return {
    at: at as ReadonlySignal<Place | undefined>,
    isPanning,
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave },
  };
}

/** Returns a signal that is true while the space bar is held. The left button then moves the view. */
function useHeldSpace(holdsSpace: RefObject<boolean>): ReadonlySignal<boolean> {
  const isHeld = useSignal(false);
  useEffect(() => {
    const set = (held: boolean) => {
      holdsSpace.current = held;
      isHeld.value = held;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const isOnControl = event.target instanceof Element && event.target.closest('button, input');
      if (event.key !== ' ' || isOnControl) return;
      event.preventDefault();
      set(true);
    };
    const onKeyUp = (event: KeyboardEvent) => event.key === ' ' && set(false);
    const onBlur = () => set(false);
    window.addEventListener('keydown', onKeyDown);
    window.addEventListener('keyup', onKeyUp);
    window.addEventListener('blur', onBlur);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
      window.removeEventListener('keyup', onKeyUp);
      window.removeEventListener('blur', onBlur);
    };
  }, [holdsSpace, isHeld]);
  return isHeld;
}
