import { type ReadonlySignal, signal } from '@preact/signals';
import { select } from 'd3-selection';
import { type ZoomBehavior, zoomIdentity } from 'd3-zoom';
import { createZoomBehaviour, STEP, type Zoomed } from '../../zoom/zoomed.ts';

export type StageZoom = ReturnType<typeof createStageZoom>;

/**
 * Creates the zoom and pan of the stage. One finger, a pen and the left button paint. Two fingers, and the wheel with
 * Ctrl, zoom. Two fingers, the wheel, the middle button, and the left button while `holdsSpace` is true, move the view.
 */
export function createStageZoom(holdsSpace: () => boolean) {
  const transform = signal<Zoomed>(zoomIdentity);
  const isForZoom = (event: Event) => isZoomOrMove(event, holdsSpace());
  let run: ((act: (behaviour: Behaviour, stage: Stage) => void) => void) | undefined;

  return {
    transform: transform as ReadonlySignal<Zoomed>,

    /** Makes the stage zoomable until the returned function is called. */
    attach(stage: HTMLElement): () => void {
      const selection = select<HTMLElement, unknown>(stage);
      const behaviour = createZoomBehaviour(isForZoom, (event) => {
        transform.value = event.transform;
      });
      selection.call(behaviour).on('dblclick.zoom', null);
      run = (act) => act(behaviour, selection);
      const onWheel = (event: WheelEvent) => {
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) return;
        const { k } = transform.peek();
        behaviour.translateBy(selection, -event.deltaX / k, -event.deltaY / k);
      };
      stage.addEventListener('wheel', onWheel, { passive: false });
      // After the stage has shrunk, the area beyond its edge might be visible.
      const observer = new ResizeObserver(() => behaviour.translateBy(selection, 0, 0));
      observer.observe(stage);
      return () => {
        run = undefined;
        observer.disconnect();
        stage.removeEventListener('wheel', onWheel);
        selection.on('.zoom', null);
      };
    },

    nearer: () => run?.((behaviour, stage) => behaviour.scaleBy(stage, STEP)),
    farther: () => run?.((behaviour, stage) => behaviour.scaleBy(stage, 1 / STEP)),
    fit: () => run?.((behaviour, stage) => behaviour.transform(stage, zoomIdentity)),
    /** Moves the view, in CSS pixels. */
    pan(right: number, down: number): void {
      const { k } = transform.peek();
      run?.((behaviour, stage) => behaviour.translateBy(stage, -right / k, -down / k));
    },
  };
}

type Behaviour = ZoomBehavior<HTMLElement, unknown>;
type Stage = ReturnType<typeof select<HTMLElement, unknown>>;

function isZoomOrMove(event: Event, holdsSpace: boolean): boolean {
  if (event instanceof WheelEvent) return event.ctrlKey || event.metaKey;
  if (typeof TouchEvent !== 'undefined' && event instanceof TouchEvent) {
    return event.touches.length > 1;
  }
  if (!(event instanceof MouseEvent)) return false;
  return event.button === 1 || (event.button === 0 && holdsSpace);
}
