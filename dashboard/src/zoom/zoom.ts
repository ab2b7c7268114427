import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomTransform, zoom, zoomIdentity, zoomTransform } from 'd3-zoom';
import type { Size } from '../images/measure-image.ts';

/** A zoom: the point p of a pane appears at k · p + (x, y), in CSS pixels. If k is 1, the whole pane is visible. */
export interface Zoomed {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

/** Returns the nearest zoom that shows nothing beyond the edges of the pane. */
export function keepInside({ x, y, k }: Zoomed, pane: Size): Zoomed {
  return {
    x: Math.min(0, Math.max(pane.width * (1 - k), x)),
    y: Math.min(0, Math.max(pane.height * (1 - k), y)),
    k,
  };
}

interface Options {
  /** Returns true if an event may start to zoom or to move the view. */
  readonly filter: (event: Event, pane: HTMLElement) => boolean;
  /** True if the wheel moves the view, and zooms only with Ctrl or ⌘. */
  readonly wheelMoves?: boolean;
  /** True if a double click zooms in, and a further double click shows the whole pane again. */
  readonly doubleClickZooms?: boolean;
}

export type Zoom = ReturnType<typeof createZoom>;

/** Zoom factors: of one step, of a double click, and the maximum. */
const STEP = 1.5;
const DOUBLE_CLICK = 3;
const MOST = 32;

/** Creates a zoom that all attached panes share. All panes must have the same size. */
export function createZoom({ filter, wheelMoves = false, doubleClickZooms = false }: Options) {
  const transform = signal<ZoomTransform>(zoomIdentity);
  const stepped = signal(false);
  const panes = new Set<HTMLElement>();
  const behaviour = zoom<HTMLElement, unknown>()
    .scaleExtent([1, MOST])
    .filter(function (this: HTMLElement, event: Event) {
      return filter(event, this);
    })
    .constrain((next, [[left, top], [right, bottom]]) => {
      const { x, y, k } = keepInside(next, { width: right - left, height: bottom - top });
      return x === next.x && y === next.y ? next : zoomIdentity.translate(x, y).scale(k);
    })
    .on('zoom', take);

  /** Applies the zoom of one pane to the others. */
  function take({ transform: next, sourceEvent }: D3ZoomEvent<HTMLElement, unknown>): void {
    if (next === transform.peek()) return;
    batch(() => {
      stepped.value = !(sourceEvent instanceof Event) || sourceEvent.type === 'dblclick';
      transform.value = next;
    });
    for (const pane of panes) {
      if (zoomTransform(pane) !== next) behaviour.transform(select(pane), next);
    }
  }

  function onDoubleClick(event: Event, pane: HTMLElement): void {
    // Touch events of a double tap are ignored, because the browser also reports a double click.
    if (!(doubleClickZooms && event instanceof MouseEvent && filter(event, pane))) return;
    const { left, top } = pane.getBoundingClientRect();
    const at: [number, number] = [event.clientX - left, event.clientY - top];
    if (transform.peek().k > 1) behaviour.transform(select(pane), zoomIdentity);
    else behaviour.scaleTo(select(pane), DOUBLE_CLICK, at);
  }

  function onWheel(event: WheelEvent): void {
    event.preventDefault();
    if (!event.ctrlKey && !event.metaKey) pan(event.deltaX, event.deltaY);
  }

  /** Changes the zoom of the first pane. The other panes follow. */
  function onFirst(run: (pane: ReturnType<typeof select<HTMLElement, unknown>>) => void): void {
    const [first] = panes;
    if (first !== undefined) run(select(first));
  }

  /** Moves the view, in CSS pixels. */
  function pan(right: number, down: number): void {
    const { k } = transform.peek();
    onFirst((pane) => behaviour.translateBy(pane, -right / k, -down / k));
  }

  return {
    transform: transform as ReadonlySignal<Zoomed>,
    /** True if the last change was a single step, which is animated. */
    stepped: stepped as ReadonlySignal<boolean>,

    /** Adds an element to the panes that share the zoom. The returned function removes the element. */
    attach(pane: HTMLElement): () => void {
      const selection = select<HTMLElement, unknown>(pane);
      selection.call(behaviour).on('dblclick.zoom', (event: Event) => onDoubleClick(event, pane));
      panes.add(pane);
      behaviour.transform(selection, transform.peek());
      if (wheelMoves) pane.addEventListener('wheel', onWheel, { passive: false });
      // A change by zero applies the limits again after the pane has shrunk.
      const observer = new ResizeObserver(() => behaviour.translateBy(selection, 0, 0));
      observer.observe(pane);
      return () => {
        observer.disconnect();
        panes.delete(pane);
        pane.removeEventListener('wheel', onWheel);
        selection.on('.zoom', null);
      };
    },

    zoomIn: () => onFirst((pane) => behaviour.scaleBy(pane, STEP)),
    zoomOut: () => onFirst((pane) => behaviour.scaleBy(pane, 1 / STEP)),
    fit: () => onFirst((pane) => behaviour.transform(pane, zoomIdentity)),
    pan,
  };
}
