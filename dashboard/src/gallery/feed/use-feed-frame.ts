import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { rowFrame } from '../layout/row-frame.ts';
import { tileScale } from '../state/tile-scale.ts';
import { useGallery } from '../state/use-gallery.ts';

/** Keeps the frame of the rows as wide as the feed is. */
export function useFeedFrame(scroller: RefObject<HTMLElement | null>): void {
  const { state } = useGallery();
  const { value: scale } = tileScale;
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const measure = () => {
      const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(box);
      const width =
        box.clientWidth -
        Number.parseFloat(paddingInlineStart) -
        Number.parseFloat(paddingInlineEnd);
      const before = state.frame.peek();
      const next = rowFrame(window.innerWidth, Math.max(1, width), scale);
      const isSame = before?.width === next.width && before.rowHeight === next.rowHeight;
      if (!isSame) state.frame.value = next;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    return () => observer.disconnect();
  }, [scroller, scale, state]);
}
