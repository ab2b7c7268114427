import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Size } from '../images/measure-image.ts';
import { NO_EDGE } from '../make/draft.ts';
import { createBrush } from './brush.ts';
import { type CanvasArea, wholeOf } from './canvas-area.ts';
import { createHistory, type History } from './history.ts';
import { hasEdge, type MaskEdge } from './mask-edge.ts';
import { createPlane, type Plane, type Rect, scaled, type Tool } from './plane.ts';
import { createShare } from './share.ts';
import { createStrokes } from './strokes.ts';

/** The part of an edit that is not pixels. */
interface EditSettings extends MaskEdge {
  /** The rectangle of the result, in pixels of the source. */
  readonly area: CanvasArea;
}

interface Start {
  /** The size of the image. */
  readonly source: Size;
  /** The size of the plane. */
  readonly size: Size;
  readonly pixels?: Uint8Array | undefined;
  readonly area?: CanvasArea | undefined;
  readonly edge?: MaskEdge | undefined;
}

export type Edit = ReturnType<typeof createEdit>;

/** Creates the state of one edit: its mask, its canvas and one undo history for both. */
export function createEdit({ source, size: { width, height }, pixels, area, edge }: Start) {
  const plane = createPlane(width, height);
  const whole: Rect = { x: 0, y: 0, width, height };
  if (pixels !== undefined) plane.put(whole, pixels);
  const first: EditSettings = { ...NO_EDGE, ...edge, area: area ?? wholeOf(source) };
  const settings = signal(first);
  const history = createHistory({ plane, state: settings });
  const scale = width / source.width;
  const brush = createBrush(source);
  const counted = createShare(plane, source);
  const share = signal(0);
  const steps = signal({ canUndo: false, canRedo: false });
  const listeners = new Set<(rect: Rect) => void>();
  const strokes = createStrokes({ plane, history, brush, scale, onChange });

  function onChange(rect: Rect | undefined): void {
    if (rect !== undefined) counted.change(rect);
    batch(() => {
      share.value = counted.of(settings.peek().area);
      steps.value = { canUndo: history.canUndo(), canRedo: history.canRedo() };
    });
    if (rect === undefined) return;
    for (const listener of listeners) listener(rect);
  }

  /** Applies a change and stores the change as one step of the undo history. Does nothing during a stroke. */
  function change(run: () => Rect | undefined, key?: string): void {
    if (strokes.isOpen()) return;
    history.begin();
    const rect = run();
    history.commit(key);
    onChange(rect);
  }

  function set(changes: Partial<EditSettings>, key?: string): void {
    change(() => {
      settings.value = { ...settings.peek(), ...changes };
      return undefined;
    }, key);
  }

  onChange(undefined);
  return {
    source,
    /** Pixels of the plane per pixel of the source. */
    scale,
    plane,
    brush,
    strokes,
    settings: settings as ReadonlySignal<EditSettings>,
    /** The fraction of the result that may change, from 0 to 1. */
    share: share as ReadonlySignal<number>,
    steps: steps as ReadonlySignal<{ readonly canUndo: boolean; readonly canRedo: boolean }>,

    /** Calls the listener with each changed area of the plane until the returned function is called. */
    subscribe(listener: (rect: Rect) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    ...createMaskActions({ plane, scale, history, settings, change }),
    /** Removes the mask and the canvas in one step. */
    discard: () =>
      change(() => {
        settings.value = { ...NO_EDGE, area: wholeOf(source) };
        history.touch(whole);
        return plane.fill(whole, 'eraser');
      }),
    /** Changes the canvas or the edge of the mask. Changes with the same key that follow each other are one step. */
    set,
    /** Changes the canvas while a handle is dragged. The change becomes a step by `endDrag`. */
    drag(next: CanvasArea): void {
      settings.value = { ...settings.peek(), area: next };
    },
    beginDrag: history.begin,
    endDrag(): void {
      history.commit();
      onChange(undefined);
    },
    undo(): void {
      if (!strokes.isOpen()) onChange(history.undo());
    },
    redo(): void {
      if (!strokes.isOpen()) onChange(history.redo());
    },
  };
}

interface MaskDeps {
  readonly plane: Plane;
  readonly scale: number;
  readonly history: History;
  readonly settings: Signal<EditSettings>;
  /** Applies a change as one step of the undo history. */
  readonly change: (run: () => Rect | undefined) => void;
}

/** Creates the changes of the mask that are no strokes. */
function createMaskActions({ plane, scale, history, settings, change }: MaskDeps) {
  const { width, height } = plane;
  const whole: Rect = { x: 0, y: 0, width, height };

  function fill(rect: Rect, how: Tool): Rect | undefined {
    history.touch(rect);
    return plane.fill(rect, how);
  }

  return {
    /** Adds a rectangle, in pixels of the source, to the area that may change, or removes the rectangle. */
    rectangle(rect: Rect, how: Tool): void {
      change(() => fill(scaled(rect, scale), how));
    },
    invert: () =>
      change(() => {
        history.touch(whole);
        return plane.invert();
      }),
    /**
     * Replaces the mask in one step, and removes the settings of its edge, because the pixels of a mask that was sent have their edge
     * already.
     */
    replaceMask: (pixels: Readonly<Uint8Array>) =>
      change(() => {
        if (hasEdge(settings.peek())) settings.value = { ...settings.peek(), ...NO_EDGE };
        history.touch(whole);
        plane.put(whole, pixels);
        return whole;
      }),
    /** Removes the mask. */
    clear: () => change(() => fill(whole, 'eraser')),
  };
}
