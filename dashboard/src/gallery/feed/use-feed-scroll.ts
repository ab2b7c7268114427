import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JobFeed } from '../../jobs/job-feed.ts';
import { tileScale } from '../../shell/preferences.ts';
import type { WholeLayout } from '../layout/day-spans.ts';
import { type Layout, rowFrame, rowOf } from '../layout/row-layout.ts';
import { useGallery } from '../state/use-gallery.ts';
import type { Viewport } from './near-rows.ts';

/** The largest scroll position, in CSS pixels, at which new jobs appear at once. */
const TOP = 40;

/** The pause after scrolling before the jobs of a day that has not been read are requested, in milliseconds. */
const PAUSE_MS = 120;

/**
 * Loads the pages and days near the viewport, holds back new jobs while the user is scrolled down, and keeps cards in place. A
 * viewport far from the cards that have been read shows another day, without reading the days between.
 */
export function useFeedScroll(
  scroller: RefObject<HTMLElement | null>,
  viewport: { current: Viewport },
): void {
  const { state } = useGallery();
  const { value: layout } = state.layout;
  const { value: feed } = state.feed;
  const { value: ids } = feed.ids;
  const { value: status } = feed.state;
  useAnchor(scroller, layout, feed);

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
        timer = setTimeout(() => void state.days.peek()?.jump(box), PAUSE_MS);
        return;
      }
      if (scrollTop < layout.readTop + clientHeight && feed.top.peek() !== undefined) {
        void feed.loadNewer();
      }
      const left = layout.readBottom - scrollTop - clientHeight;
      if (left < clientHeight * 2 && !feed.complete.peek()) void feed.loadMore();
    };

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
      // The event of this scroll arrives after the list has been rendered.
      viewport.current = { ...viewport.current, top: 0 };
    });
  }, [scroller, state, viewport]);
}

/**
 * Adjusts the scroll position when rows move, so that the first visible card stays in place. If no card is visible, the part of the
 * list that is being read stays in the viewport.
 */
function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  layout: WholeLayout | undefined,
  { filter }: JobFeed,
): void {
  const { state } = useGallery();
  const before = useRef({ layout, filter });
  /** The latest position that the user has seen. A lower feed ends the scroll earlier. */
  const seen = useRef(0);
  useLayoutEffect(() => {
    const box = scroller.current;
    const note = () => {
      seen.current = box?.scrollTop ?? 0;
    };
    box?.addEventListener('scroll', note, { passive: true });
    return () => box?.removeEventListener('scroll', note);
  }, [scroller]);

  useLayoutEffect(() => {
    const box = scroller.current;
    const { layout: old, filter: oldFilter } = before.current;
    before.current = { layout, filter };
    if (box === null || old === undefined || layout === undefined || old === layout) return;
    // Another list is scrolled to its top. Reading `scrollTop` forces a layout, so it is not read if the feed is at the top.
    const isAtTop = old.hasNewest && !state.arrivals.isHolding.peek();
    if (filter !== oldFilter || isAtTop) return;
    const { scrollTop, clientHeight, scrollHeight } = box;
    if (old.hasNewest && scrollTop <= TOP) return;
    const isCut = scrollTop >= scrollHeight - clientHeight - 1;
    const y = isCut ? Math.max(scrollTop, seen.current) : scrollTop;
    const anchor = firstSeen(old, y, y + clientHeight).find((id) => layout.ids.includes(id));
    const next =
      anchor === undefined
        ? state.days.peek()?.placeIn(layout, old, y)
        : y + topOf(layout, anchor) - topOf(old, anchor);
    if (next !== undefined && next !== scrollTop) box.scrollTop = next;
  }, [scroller, layout, filter, state]);
}

/** Returns the ids of the cards in the first three visible rows, in reading order. */
function firstSeen({ rows, ids }: Layout, from: number, to: number): readonly string[] {
  const first = rows.findIndex(({ top, height }) => top + height > from);
  const seen = rows.slice(first, first + 3).filter(({ top }) => top < to);
  return first < 0 ? [] : ids.slice(seen.at(0)?.first ?? 0, seen.at(-1)?.end ?? 0);
}

function topOf(layout: Layout, id: string): number {
  return layout.rows[rowOf(layout, id) ?? -1]?.top ?? 0;
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
