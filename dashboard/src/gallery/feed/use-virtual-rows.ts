import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';
import type { Layout } from '../layout/row-layout.ts';

/** Rows beyond the edges of what is seen, so that they are there before they are. */
const OVERSCAN = 3;

/**
 * The indexes of the rows that are near what is seen, in ascending order; `pinned` is one of them wherever it is, so that
 * the focus is never lost by scrolling.
 */
export function useVirtualRows(
  scroller: RefObject<HTMLElement | null>,
  layout: Layout | undefined,
  pinned: number | undefined,
): readonly number[] {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const rows = layout?.rows ?? [];
  const options = {
    count: rows.length,
    getScrollElement: () => scroller.current,
    // A row's share of the height reaches down to the next one's top, over the heading of a day between them.
    estimateSize: (index: number) =>
      (rows[index + 1]?.top ?? layout?.height ?? 0) - (rows[index]?.top ?? 0),
    paddingStart: rows[0]?.top ?? 0,
    overscan: OVERSCAN,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const indexes = defaultRangeExtractor(range);
      if (pinned === undefined || indexes.includes(pinned)) return indexes;
      return [...indexes, pinned].sort((a, b) => a - b);
    },
    scrollToFn: elementScroll,
    observeElementRect: observeBox,
    observeElementOffset,
    onChange: () => redraw(),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, layout]);
  return virtualizer.getVirtualIndexes();
}

/** As the library does it, but for the first reading, which forces a layout in the middle of rendering. */
function observeBox(
  { scrollElement }: Virtualizer<HTMLElement, HTMLElement>,
  onBox: (box: { readonly width: number; readonly height: number }) => void,
): () => void {
  const observer = new ResizeObserver(([entry]) => {
    const { inlineSize = 0, blockSize = 0 } = entry?.borderBoxSize[0] ?? {};
    onBox({ width: Math.round(inlineSize), height: Math.round(blockSize) });
  });
  if (scrollElement) observer.observe(scrollElement);
  return () => observer.disconnect();
}
