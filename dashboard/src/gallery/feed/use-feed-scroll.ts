import { effect, type ReadonlySignal } from '@preact/signals';
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { type Layout, rowFrame } from '../layout/row-layout.ts';
import { tileScale } from '../state/tile-scale.ts';
import { useGallery } from '../state/use-gallery.ts';

/** Down to here a person counts as being at the top, where what is new appears at once. */
const TOP = 40;

/** Reads on before the end is reached, holds back what is new while somebody looks further down, and keeps in place what they look at. */
export function useFeedScroll(scroller: RefObject<HTMLElement | null>): void {
  const { state } = useGallery();
  const { value: layout } = state.layout;
  const { value: feed } = state.feed;
  const { value: ids } = feed.ids;
  const { value: status } = feed.state;
  useAnchor(scroller, layout, state.arrivals.isHolding);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const onScroll = () => {
      if (box.scrollTop > TOP) state.arrivals.hold();
      else state.arrivals.release();
      readOn(box);
    };
    const readOn = (element: HTMLElement) => {
      if (feed.state.peek() !== 'ready' || feed.complete.peek()) return;
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (left < element.clientHeight * 2) void feed.loadMore();
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    if (layout !== undefined) readOn(box);
    return () => box.removeEventListener('scroll', onScroll);
  }, [scroller, state, feed, ids, status, layout]);

  useLayoutEffect(() => {
    // Another filter begins at its top.
    let last = state.feed.peek();
    return effect(() => {
      if (state.feed.value === last) return;
      last = state.feed.value;
      state.arrivals.release();
      if (scroller.current) scroller.current.scrollTop = 0;
    });
  }, [scroller, state]);
}

/** When rows change their places, the scroll position goes with the first card that is seen. */
function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  layout: Layout | undefined,
  isScrolled: ReadonlySignal<boolean>,
): void {
  const before = useRef(layout);
  useLayoutEffect(() => {
    const [box, old] = [scroller.current, before.current];
    before.current = layout;
    if (box === null || old === undefined || layout === undefined || old === layout) return;
    // Reading scrollTop forces a layout: not where nothing is scrolled.
    if (!isScrolled.peek() || box.scrollTop <= TOP) return;
    const anchor = firstSeen(old, box.scrollTop).find((id) => layout.rowOf.has(id));
    if (anchor === undefined) return;
    const moved = topOf(layout, anchor) - topOf(old, anchor);
    if (moved !== 0) box.scrollTop += moved;
  }, [scroller, layout]);
}

/** The cards of the first rows that are seen, in reading order. */
function firstSeen({ rows }: Layout, scrollTop: number): readonly string[] {
  const first = rows.findIndex(({ top, height }) => top + height > scrollTop);
  return rows.slice(first, first + 3).flatMap(({ tiles }) => tiles.map(({ id }) => id));
}

function topOf({ rows, rowOf }: Layout, id: string): number {
  return rows[rowOf.get(id) ?? -1]?.top ?? 0;
}

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
