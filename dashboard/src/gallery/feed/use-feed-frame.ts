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
    // It reports before the first paint. Reading the width here would force a layout in the middle of rendering.
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.max(1, entry?.contentRect.width ?? 1);
      const before = state.frame.peek();
      const next = rowFrame(window.innerWidth, width, scale);
      const isSame = before?.width === next.width && before.rowHeight === next.rowHeight;
      if (!isSame) state.frame.value = next;
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [scroller, scale, state]);
}
