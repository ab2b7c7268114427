import { effect } from '@preact/signals';
import { NO_EDGE } from '../make/draft.ts';
import type { Edit } from './edit.ts';
import { type EdgeTask, reachOfEdge, toEdgeTask } from './make-edge.ts';
import { hasEdge, type MaskEdge } from './mask-edge.ts';
import { type MaskReply, openMaskWorker } from './mask-image.ts';
import { clipTo, cut, type Rect, unite } from './plane.ts';

/** The pixels of a mask that are drawn. */
export interface ShownPlane {
  readonly width: number;
  readonly height: number;
  readonly pixels: Readonly<Uint8Array>;
  /** True if the edge is soft, so that no line is drawn around the mask. */
  readonly isSoft?: boolean;
}

export type ShownMask = ReturnType<typeof createShownMask>;

/**
 * Keeps a copy of the mask as it will act, grown and feathered. A stroke is shown as it is painted, and gets its edge when it ends.
 * Without an edge, the painted pixels are shown and no copy exists.
 */
export function createShownMask(edit: Edit) {
  const { plane, scale } = edit;
  const whole: Rect = { x: 0, y: 0, width: plane.width, height: plane.height };
  const listeners = new Set<(rect: Rect) => void>();
  let edge: MaskEdge = NO_EDGE;
  let made: Uint8Array | undefined;
  /** The area that was painted since its edge was made. */
  let painted: Rect | undefined;
  const edges = createEdgeMaker(
    (area) => toEdgeTask(plane, area, edge, scale),
    (rect, pixels) => {
      if (made === undefined) return;
      put(made, plane.width, rect, pixels);
      tell(rect);
    },
  );

  function tell(rect: Rect): void {
    for (const listener of listeners) listener(rect);
  }

  function make(area: Rect): void {
    const rect = clipTo(plane, area);
    if (rect !== undefined) edges.make(rect);
  }

  function onPaint(rect: Rect): void {
    if (made === undefined) {
      tell(rect);
      return;
    }
    painted = unite(painted, rect);
    if (edit.strokes.isOpen()) {
      put(made, plane.width, rect, cut(plane.pixels, plane.width, rect));
      tell(rect);
      return;
    }
    const reach = reachOfEdge(edge, scale);
    const { x, y, width, height } = painted ?? rect;
    painted = undefined;
    make({ x: x - reach, y: y - reach, width: width + 2 * reach, height: height + 2 * reach });
  }

  const stopPainting = edit.subscribe(onPaint);
  const stopEdge = effect(() => {
    const { feather, grow } = edit.settings.value;
    if (feather === edge.feather && grow === edge.grow) return;
    edge = { feather, grow };
    if (!hasEdge(edge)) {
      made = undefined;
      tell(whole);
      return;
    }
    made ??= Uint8Array.from(plane.pixels);
    make(whole);
  });

  const shown: ShownPlane = {
    width: plane.width,
    height: plane.height,
    get isSoft() {
      return edge.feather > 0;
    },
    get pixels() {
      return made ?? plane.pixels;
    },
  };
  return {
    plane: shown,
    /** Calls the listener with each changed area until the returned function is called. */
    subscribe(listener: (rect: Rect) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close(): void {
      stopPainting();
      stopEdge();
      edges.close();
    },
  };
}

/** Writes a rectangle to an array of pixels with `columns` pixels in a row. */
function put(
  target: Uint8Array,
  columns: number,
  { x, y, width, height }: Rect,
  pixels: Readonly<Uint8Array>,
): void {
  for (let row = 0; row < height; row += 1) {
    target.set(pixels.subarray(row * width, (row + 1) * width), (y + row) * columns + x);
  }
}

/** Makes edges in a worker, one area at a time. Areas that change in the meantime are made together afterwards. */
function createEdgeMaker(
  toTask: (area: Rect) => EdgeTask,
  onMade: (rect: Rect, pixels: Uint8Array) => void,
) {
  let worker: Worker | undefined;
  let waiting: Rect | undefined;
  let isBusy = false;

  function next(): void {
    if (isBusy || waiting === undefined) return;
    const task = toTask(waiting);
    waiting = undefined;
    isBusy = true;
    worker ??= openMaskWorker();
    worker.onmessage = ({ data }: MessageEvent<MaskReply | undefined>) => {
      isBusy = false;
      if (data?.kind === 'edge') onMade(task.rect, data.pixels);
      next();
    };
    worker.postMessage({ kind: 'edge', task }, [task.pixels.buffer]);
  }

  return {
    make(area: Rect): void {
      waiting = unite(waiting, area);
      next();
    },
    close: () => worker?.terminate(),
  };
}
