import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import type { JobFilter } from '../../jobs/job-filter.ts';
import { painted } from '../../shell/painted.ts';
import type { Layout } from '../layout/row-layout.ts';
import { MAX_SPARE, nearRows, type Viewport } from './near-rows.ts';

interface Shown {
  readonly layout: Layout | undefined;
  /** The filter of the list. */
  readonly filter: JobFilter;
  /** Called with the first and the last job of the rows near the viewport. */
  readonly onNear: (first: string, last: string) => void;
  /** The row in which a card has the focus. */
  readonly pinned: number | undefined;
}

/**
 * Returns the indexes of the rows to render: those near the viewport, and the row `pinned`. The first rendering of another list has only
 * the rows in the viewport, so that a search shows its cards sooner. `viewport` is kept up to date.
 */
export function useNearRows(
  scroller: RefObject<HTMLElement | null>,
  viewport: { current: Viewport },
  { layout, filter, pinned, onNear }: Shown,
): readonly number[] {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  /** The filter of the last list that has been painted. */
  const drawnFilter = useRef<JobFilter | undefined>(undefined);
  const spare = drawnFilter.current === filter ? MAX_SPARE : 0;
  const { rows = [], ids = [] } = layout ?? {};
  const near = nearRows(rows, viewport.current, spare);
  const first = ids[rows[near.at(0) ?? -1]?.first ?? -1];
  const last = ids[(rows[near.at(-1) ?? -1]?.end ?? 0) - 1];
  const drawn = useRef({ rows, near, spare });
  drawn.current = { rows, near, spare };

  useLayoutEffect(() => {
    if (drawnFilter.current === filter) return;
    let isOver = false;
    void painted().then(() => {
      if (isOver) return;
      drawnFilter.current = filter;
      redraw();
    });
    return () => {
      isOver = true;
    };
  }, [filter]);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const move = (to: Partial<Viewport>) => {
      viewport.current = { ...viewport.current, ...to };
      const next = nearRows(drawn.current.rows, viewport.current, drawn.current.spare);
      if (!isEqual(next, drawn.current.near)) redraw();
    };
    const onScroll = () => move({ top: box.scrollTop });
    // The observer reports the size before the first paint. Reading the size here would force a layout.
    const observer = new ResizeObserver(([entry]) =>
      move({ height: Math.round(entry?.borderBoxSize[0]?.blockSize ?? 0) }),
    );
    box.addEventListener('scroll', onScroll, { passive: true });
    observer.observe(box);
    return () => {
      box.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [scroller, viewport]);

  useLayoutEffect(() => {
    if (first !== undefined && last !== undefined) onNear(first, last);
  }, [first, last, onNear]);

  if (pinned === undefined || near.includes(pinned)) return near;
  return [...near, pinned].sort((a, b) => a - b);
}

function isEqual(one: readonly number[], two: readonly number[]): boolean {
  return one.length === two.length && one.every((index, at) => index === two[at]);
}
