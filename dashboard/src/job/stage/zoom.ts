import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomTransform, zoomIdentity, zoomTransform } from 'd3-zoom';
import { createZoomBehaviour, STEP, type Zoomed } from '../../zoom/zoomed.ts';

export type Zoom = ReturnType<typeof createZoom>;

/** Zoom and pan that all panes share, so that they show the same part of their images. 1 shows an image whole. */
export function createZoom() {
  const transform = signal<ZoomTransform>(zoomIdentity);
  /** Whether the last change was one step, to be shown as a movement. */
  const stepped = signal(false);
  const panes = new Set<HTMLElement>();
  const behaviour = createZoomBehaviour(isForZoom, take);

  /** Panes are equally large: what one of them shows, the others show too. */
  function take(event: D3ZoomEvent<HTMLElement, unknown>): void {
    const { transform: next } = event;
    if (next === transform.peek()) return;
    batch(() => {
      stepped.value = !isGesture(event.sourceEvent);
      transform.value = next;
    });
    for (const pane of panes) {
      if (zoomTransform(pane) !== next) behaviour.transform(select(pane), next);
    }
  }

  /** The pane on which a step acts; the others follow. */
  function onFirst(run: (pane: HTMLElement) => void): void {
    const [first] = panes;
    if (first !== undefined) run(first);
  }

  return {
    transform: transform as ReadonlySignal<Zoomed>,
    stepped: stepped as ReadonlySignal<boolean>,

    /** Lets an element be zoomed, as the others are, until the returned function is called. */
    attach(pane: HTMLElement): () => void {
      const selection = select(pane);
      selection.call(behaviour).on('dblclick.zoom', (event: Event) => {
        // A double tap comes as touches too; the browser makes a double click of it.
        if (!(event instanceof MouseEvent) || isOnControl(event)) return;
        const { left, top } = pane.getBoundingClientRect();
        const at: [number, number] = [event.clientX - left, event.clientY - top];
        if (transform.peek().k > 1) behaviour.transform(selection, zoomIdentity);
        else behaviour.scaleTo(selection, 3, at);
      });
      panes.add(pane);
      behaviour.transform(selection, transform.peek());
      // A pane that has become smaller may show what is beyond its edge.
      const observer = new ResizeObserver(() => behaviour.translateBy(selection, 0, 0));
      observer.observe(pane);
      return () => {
        observer.disconnect();
        panes.delete(pane);
        selection.on('.zoom', null);
      };
    },

    nearer: () => onFirst((pane) => behaviour.scaleBy(select(pane), STEP)),
    farther: () => onFirst((pane) => behaviour.scaleBy(select(pane), 1 / STEP)),
    fit: () => onFirst((pane) => behaviour.transform(select(pane), zoomIdentity)),
    /** Moves what is seen by a part of the pane. Does nothing while the image is shown whole. */
    pan(right: number, down: number): void {
      onFirst((pane) => {
        const { k } = transform.peek();
        const [x, y] = [pane.clientWidth * right, pane.clientHeight * down];
        behaviour.translateBy(select(pane), -x / k, -y / k);
      });
    },
  };
}

function isGesture(event: unknown): boolean {
  return event instanceof Event && event.type !== 'dblclick';
}

/**
 * What begins a zoom. On a page in one column, one finger scrolls and the wheel does as well, until the image is zoomed;
 * two fingers, and the wheel with Ctrl, always zoom.
 */
function isForZoom(this: HTMLElement, event: Event): boolean {
  if (isOnControl(event)) return false;
  const isZoomed = zoomTransform(this).k > 1;
  const isOneColumn = window.matchMedia('(max-width: 899px)').matches;
  if (event instanceof WheelEvent) return event.ctrlKey || isZoomed || !isOneColumn;
  if (typeof TouchEvent !== 'undefined' && event instanceof TouchEvent) {
    return isZoomed || event.touches.length > 1;
  }
  return event instanceof MouseEvent && event.button === 0 && !event.ctrlKey;
}

/** Controls lie over the panes. */
function isOnControl({ target }: Event): boolean {
  return target instanceof Element && target.closest('button, .divider') !== null;
}
