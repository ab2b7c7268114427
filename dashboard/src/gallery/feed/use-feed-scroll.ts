import { effect, type ReadonlySignal } from '@preact/signals';
import {
  type defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { tileScale } from '../../shell/preferences.ts';
import { spanAt, type WholeLayout } from '../layout/day-spans.ts';
import { type Layout, rowFrame } from '../layout/row-layout.ts';
import { useGallery } from '../state/use-gallery.ts';

/** The largest scroll position, in CSS pixels, at which new jobs appear at once. */
const TOP = 40;

/** The pause after scrolling before the jobs of a day that has not been read are requested, in milliseconds. */
const PAUSE_MS = 120;

/**
 * Loads the pages and days near the viewport, holds back new jobs while the user is scrolled down, and keeps cards in place. A
 * viewport far from the cards that have been read shows another day, without reading the days between.
 */
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      if (box.scrollTop > TOP) state.arrivals.hold();
      else state.arrivals.release();
      readOn();
    };
    const readOn = () => {
      clearTimeout(timer);
      if (layout === undefined || feed.state.peek() !== 'ready') return;
      const { scrollTop, clientHeight } = box;
      const isBelow = scrollTop > layout.readBottom + 2 * clientHeight;
      const isAbove = scrollTop + clientHeight < layout.readTop;
      if (isBelow || isAbove) {
        timer = setTimeout(() => void jump(box, layout), PAUSE_MS);
        return;
      }
      if (scrollTop < layout.readTop + clientHeight && feed.top.peek() !== undefined) {
        void state.readNewerDay();
      }
      const left = layout.readBottom - scrollTop - clientHeight;
      if (left < clientHeight * 2 && !feed.complete.peek()) void feed.loadMore();
    };

    /** Reads the day in the viewport. A day that has been read in part is read on. */
    async function jump(element: HTMLElement, { spans, readBottom }: WholeLayout): Promise<void> {
      const y = element.scrollTop + element.clientHeight / 3;
      const span = spanAt(spans, y);
      if (span === undefined) return;
      if (span.top < readBottom && y > readBottom) {
        const share = (y - readBottom + element.clientHeight) / span.height;
        await feed.loadMany(Math.ceil(share * span.count));
        return;
      }
      const { scrollTop } = element;
      const offset = scrollTop - span.top;
      await state.goToDay(span.day);
      // The user has scrolled on, and the place that is in the viewport now is read next. A lower feed ends the scroll earlier.
      const lowest = element.scrollHeight - element.clientHeight;
      if (element.scrollTop !== Math.min(scrollTop, lowest)) return;
      const after = state.layout.peek()?.spans.find(({ day }) => day === span.day);
      // The heights of the days above have changed, because they are estimated now.
      if (after) element.scrollTop = after.top + Math.min(offset, Math.max(0, after.height - 1));
    }

    box.addEventListener('scroll', onScroll, { passive: true });
    readOn();
    return () => {
      clearTimeout(timer);
      box.removeEventListener('scroll', onScroll);
    };
  }, [scroller, state, feed, ids, status, layout]);

  useLayoutEffect(() => {
    // When the filter changes, the feed is scrolled to the top.
    let { filter } = state.feed.peek();
    return effect(() => {
      const { filter: next } = state.feed.value;
      if (next === filter) return;
      filter = next;
      state.arrivals.release();
      if (scroller.current) scroller.current.scrollTop = 0;
    });
  }, [scroller, state]);
}

/** Adjusts the scroll position when rows move, so that the first visible card stays in place. */
function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  layout: WholeLayout | undefined,
  isScrolled: ReadonlySignal<boolean>,
): void {
  const before = useRef(layout);
  useLayoutEffect(() => {
    const [box, old] = [scroller.current, before.current];
    before.current = layout;
    if (box === null || old === undefined || layout === undefined || old === layout) return;
    // Reading `scrollTop` forces a layout, so `scrollTop` is not read if the feed is at the top.
    if (!isScrolled.peek() || box.scrollTop <= TOP) return;
    const anchor = firstSeen(old, box.scrollTop).find((id) => layout.rowOf.has(id));
    if (anchor === undefined) return;
    const moved = topOf(layout, anchor) - topOf(old, anchor);
    if (moved !== 0) box.scrollTop += moved;
  }, [scroller, layout]);
}

/** Returns the ids of the cards in the first three visible rows, in reading order. */
function firstSeen({ rows }: Layout, scrollTop: number): readonly string[] {
  const first = rows.findIndex(({ top, height }) => top + height > scrollTop);
  return rows.slice(first, first + 3).flatMap(({ tiles }) => tiles.map(({ id }) => id));
}

function topOf({ rows, rowOf }: Layout, id: string): number {
  return rows[rowOf.get(id) ?? -1]?.top ?? 0;
}

/** The largest number of rows that are rendered beyond each edge of the viewport. */
const OVERSCAN = 3;

/** The largest number of cards that are rendered, if the viewport has room for fewer. */
const MOST_CARDS = 60;

/** Returns the indexes of the visible rows and of the rows beyond both edges, as far as they have few cards. */
function rowsNear(rows: Layout['rows'], startIndex: number, endIndex: number): readonly number[] {
  const indexes: number[] = [];
  let cards = 0;
  const add = (index: number) => {
    const count = rows[index]?.tiles.length ?? 0;
    const isVisible = index >= startIndex && index <= endIndex;
    if (count === 0 || !(isVisible || cards + count <= MOST_CARDS)) return;
    indexes.push(index);
    cards += count;
  };
  for (let index = startIndex; index <= endIndex; index += 1) add(index);
  for (let step = 1; step <= OVERSCAN; step += 1) {
    add(endIndex + step);
    add(startIndex - step);
  }
  return indexes.sort((a, b) => a - b);
}

/** Returns the indexes of the rows near the viewport, and of the row `pinned`, in which a card has the focus. */
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
    // The size of a row reaches to the top of the next row, including a day heading between them.
    estimateSize: (index: number) =>
      (rows[index + 1]?.top ?? layout?.height ?? 0) - (rows[index]?.top ?? 0),
    paddingStart: rows[0]?.top ?? 0,
    rangeExtractor: ({ startIndex, endIndex }: Parameters<typeof defaultRangeExtractor>[0]) => {
      const indexes = [...rowsNear(rows, startIndex, endIndex)];
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

/** Observes the size of an element without reading the size first, because the read would force a layout. */
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

/** Keeps the width of the frame equal to the width of the feed. */
export function useFeedFrame(scroller: RefObject<HTMLElement | null>): void {
  const { state } = useGallery();
  const { value: scale } = tileScale;
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    // The observer reports before the first paint. Reading the width here would force a layout during rendering.
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
