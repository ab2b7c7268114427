import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Size } from '../../images/size.ts';
import { useLook } from '../state/look-context.ts';
import { useBox } from './use-box.ts';
import './pane.css';

interface Props {
  readonly label: string;
  readonly children: (box: Size) => ComponentChildren;
}

const PANS = {
  ArrowLeft: [-0.25, 0],
  ArrowRight: [0.25, 0],
  ArrowUp: [0, -0.25],
  ArrowDown: [0, 0.25],
} as const;

/** A window on images that is zoomed and moved by wheel, fingers, mouse, and by arrows while it has the focus. */
export function Pane({ label, children }: Props) {
  const { zoom } = useLook();
  const element = useRef<HTMLDivElement>(null);
  const box = useBox(element);
  const isZoomed = zoom.transform.value.k > 1;
  useLayoutEffect(() => {
    if (element.current !== null) return zoom.attach(element.current);
    return undefined;
  }, [zoom]);

  function onKeyDown(event: KeyboardEvent): void {
    const way = PANS[event.key as keyof typeof PANS];
    // As long as an image is shown whole, arrows lead to other images and jobs.
    if (way === undefined || zoom.transform.peek().k === 1 || event.target !== element.current)
      return;
    event.preventDefault();
    zoom.pan(way[0], way[1]);
  }

  return (
    <div
      ref={element}
      class={isZoomed ? 'pane zoomed-in' : 'pane'}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what is zoomed is moved by its arrows
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {box && children(box)}
    </div>
  );
}
