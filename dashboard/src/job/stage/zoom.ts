import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomTransform, zoomIdentity, zoomTransform } from 'd3-zoom';
import { createZoomBehaviour, STEP, type Zoomed } from '../../zoom/zoomed.ts';

export type Zoom = ReturnType<typeof createZoom>;

/**
 * Creates the zoom and pan that all panes share, so that they show the same part of their images. A factor of 1 shows
 * an image whole.
 */
export function createZoom() {
  const transform = signal<ZoomTransform>(zoomIdentity);
  /** True if the last change was a single step, which is animated. */
  const stepped = signal(false);
  const panes = new Set<HTMLElement>();
  const behaviour = createZoomBehaviour(isForZoom, take);

  /** Applies the zoom of one pane to the others. All panes have the same size. */
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

  /** Runs a step on the first pane. The other panes follow. */
  function onFirst(run: (pane: HTMLElement) => void): void {
    const [first] = panes;
    if (first !== undefined) run(first);
  }

  return {
    transform: transform as ReadonlySignal<Zoomed>,
    stepped: stepped as ReadonlySignal<boolean>,

    /** Makes an element zoomable, like the others, until the returned function is called. */
    attach(pane: HTMLElement): () => void {
      const selection = select(pane);
      selection.call(behaviour).on('dblclick.zoom', (event: Event) => {
        // A double tap also arrives as touches. The browser turns it into a double click.
        if (!(event instanceof MouseEvent) || isOnControl(event)) return;
        const { left, top } = pane.getBoundingClientRect();
        const at: [number, number] = [event.clientX - left, event.clientY - top];
        if (transform.peek().k > 1) behaviour.transform(selection, zoomIdentity);
        else behaviour.scaleTo(selection, 3, at);
      });
      panes.add(pane);
      behaviour.transform(selection, transform.peek());
      // After a pane has shrunk, the area beyond its edge might be visible.
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
    /** Moves the view by a fraction of the pane. Does nothing while the image is shown whole. */
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
 * Returns true if an event may start a zoom. On a page in one column, one finger and the wheel scroll until the image
 * is zoomed. Two fingers, and the wheel with Ctrl, always zoom.
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

/** Returns true if the event is on a control, because controls cover the panes. */
function isOnControl({ target }: Event): boolean {
  return target instanceof Element && target.closest('button, .divider') !== null;
}
