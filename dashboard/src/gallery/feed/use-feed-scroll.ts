import { effect, type ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Layout } from '../layout/row-layout.ts';
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
