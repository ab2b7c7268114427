import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../../page-context.ts';
import { HEADING } from '../layout/row-frame.ts';
import { useGallery } from '../state/use-gallery.ts';

/**
 * Moves the focus with the cursor while the keyboard is in the feed: also when the focused card is removed, and after a visit
 * to a job that began here.
 */
export function useFeedFocus(scroller: RefObject<HTMLElement | null>): void {
  const { router } = usePage();
  const { state } = useGallery();
  const { value: cursor } = state.cursor;
  const { value: layout } = state.layout;
  const isShown = router.route.value.view === 'images';
  const returns = useRef(false);
  const box = scroller.current;
  const focused = document.activeElement;
  // Read before the cards are drawn anew: a card that goes takes the focus with it.
  const wasInside = box?.contains(focused) === true && focused !== box;

  useLayoutEffect(() => {
    const isOut =
      document.activeElement === document.body || document.activeElement === scroller.current;
    const moved = wasInside && (isOut || cardOf(document.activeElement) !== cursor);
    if (!(moved || (isShown && returns.current)) || cursor === undefined) return;
    returns.current = false;
    focusCard(scroller.current, cursor);
  }, [cursor, layout, isShown]);

  useLayoutEffect(() => {
    if (isShown) return;
    returns.current = wasInside;
  }, [isShown]);
}

/** Focuses a card that is drawn, and brings it wholly into view. */
export function focusCard(scroller: HTMLElement | null, id: string): void {
  const card = scroller?.querySelector<HTMLElement>(`[data-id="${id}"]`);
  if (!(scroller && card)) return;
  card.querySelector<HTMLElement>('.card-link')?.focus({ preventScroll: true });
  // Of the toolbar at the end of the page and the dock of narrow screens, which lie over the feed.
  const covered = Number.parseFloat(getComputedStyle(scroller).scrollPaddingBlockEnd) || 0;
  const [view, place] = [scroller.getBoundingClientRect(), card.getBoundingClientRect()];
  const above = view.top + HEADING - place.top;
  const below = place.bottom - (view.bottom - covered);
  if (above > 0) scroller.scrollTop -= above;
  else if (below > 0) scroller.scrollTop += Math.min(below, -above);
}

export function cardOf(element: Element | null): string | undefined {
  return element?.closest<HTMLElement>('.card')?.dataset['id'];
}
