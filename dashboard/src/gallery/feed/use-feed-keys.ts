import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JobFeed } from '../../jobs/job-feed.ts';
import { usePage } from '../../page-context.ts';
import { type KeyBindings, useShortcuts } from '../../shell/shortcuts.ts';
import { type Direction, HEADING, neighbour } from '../layout/row-layout.ts';
import { useGallery } from '../state/use-gallery.ts';

const ARROWS = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
} as const satisfies Record<string, Direction>;

/** Binds the keys of the gallery, which act on the selected cards, or else on the focused card. */
export function useFeedKeys(scroller: RefObject<HTMLElement | null>): void {
  const { router } = usePage();
  const { route, layer } = router;
  const isActive = route.value.view === 'images' && layer.value === undefined;
  const commands = useCommands();
  const move = useMoves(scroller);
  useShortcuts({ ...move, ...commands }, isActive);
}

function useMoves(scroller: RefObject<HTMLElement | null>): KeyBindings {
  const { state } = useGallery();

  function move(event: KeyboardEvent, direction: Direction): void {
    const from = cardOf(document.activeElement);
    const layout = state.layout.peek();
    if (layout === undefined) return;
    if (from === undefined) {
      // If nothing has the focus, the arrow keys move the focus into the gallery.
      if (document.activeElement !== document.body || direction === 'first' || direction === 'last')
        return;
      const start = state.cursor.peek();
      if (start === undefined) return;
      event.preventDefault();
      focusCard(scroller.current, start);
      return;
    }
    event.preventDefault();
    const { complete, top } = state.feed.peek();
    if (direction === 'last' && !complete.peek() && !event.shiftKey) {
      void toEnd();
      return;
    }
    if (direction === 'first' && top.peek() !== undefined && !event.shiftKey) {
      void toStart();
      return;
    }
    const to = neighbour(layout, from, direction);
    if (to === undefined) return;
    if (event.shiftKey) state.selection.extend(state.arrivals.shown.peek(), from, to);
    state.cursor.value = to;
  }

  /** Moves the focus to the oldest job. Only the last day is read, or the whole list if its days are unknown. */
  async function toEnd(): Promise<void> {
    const { spans = [], readBottom = 0 } = state.layout.peek() ?? {};
    const last = spans.at(-1);
    if (last !== undefined && last.top >= readBottom) await state.days.peek()?.goToDay(last.day);
    const feed = state.feed.peek();
    await feed.loadMany();
    moveToLast(feed);
  }

  /** Moves the focus to the newest job. */
  async function toStart(): Promise<void> {
    const [first] = state.layout.peek()?.spans ?? [];
    if (first === undefined) return;
    await state.days.peek()?.goToDay(first.day);
    state.cursor.value = state.arrivals.shown.peek()[0];
    scroller.current?.scrollTo({ top: 0 });
  }

  function moveToLast(feed: JobFeed): void {
    const last = state.arrivals.shown.peek().at(-1);
    if (state.feed.peek() === feed && last !== undefined) state.cursor.value = last;
  }

  return Object.fromEntries(
    Object.entries(ARROWS).flatMap(([key, direction]) => [
      [key, (event: KeyboardEvent) => move(event, direction)],
      [`Shift+${key}`, (event: KeyboardEvent) => move(event, direction)],
    ]),
  );
}

function useCommands(): KeyBindings {
  const { state, actions, selected } = useGallery();
  const { selection } = state;

  /** Returns a key handler that calls `run` with the first target if a card is selected or focused, or a list is selected. */
  function on(run: (first: string) => void) {
    return (event: KeyboardEvent) => {
      const isChosen = selection.ids.peek().size > 0 || selection.whole.peek() !== undefined;
      if (!isChosen && cardOf(document.activeElement) === undefined) return;
      const [first] = state.targets();
      if (first === undefined) return;
      event.preventDefault();
      run(first);
    };
  }

  return {
    x: on(() => {
      const id = state.cursor.peek();
      if (id !== undefined) selected.toggle(id);
    }),
    f: on(selected.favourite),
    h: on(selected.hide),
    Delete: on(selected.remove),
    e: on(actions.editThis),
    r: on(selected.makeAgain),
    d: on(selected.download),
    c: on(selected.compare),
    l: on(selected.openTable),
    '$mod+a': (event) => {
      if (!isFree(event.target)) return;
      event.preventDefault();
      selected.selectAll();
    },
    Escape: () => {
      if (selection.active.peek()) selection.clear();
    },
  };
}

/** Returns true if the key is not typed into a text field. */
function isFree(target: EventTarget | null): boolean {
  return !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement);
}

/** Moves the focus to the card at the cursor, also when the focused card is removed and when a job is closed again. */
export function useFeedFocus(scroller: RefObject<HTMLElement | null>): void {
  const { router } = usePage();
  const { state } = useGallery();
  const { value: cursor } = state.cursor;
  const { value: layout } = state.layout;
  const isShown = router.route.value.view === 'images';
  const returns = useRef(false);
  const box = scroller.current;
  const focused = document.activeElement;
  // The focus is read before the cards are rendered again, because a removed card loses the focus.
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

/** Focuses a rendered card and scrolls it fully into view. */
function focusCard(scroller: HTMLElement | null, id: string): void {
  const card = scroller?.querySelector<HTMLElement>(`[data-id="${id}"]`);
  if (!(scroller && card)) return;
  card.querySelector<HTMLElement>('.card-link')?.focus({ preventScroll: true });
  // The height of the bars that cover the lower edge of the feed, in CSS pixels.
  const covered = Number.parseFloat(getComputedStyle(scroller).scrollPaddingBlockEnd) || 0;
  const [view, place] = [scroller.getBoundingClientRect(), card.getBoundingClientRect()];
  const above = view.top + HEADING - place.top;
  const below = place.bottom - (view.bottom - covered);
  if (above > 0) scroller.scrollTop -= above;
  else if (below > 0) scroller.scrollTop += Math.min(below, -above);
}

function cardOf(element: Element | null): string | undefined {
  return element?.closest<HTMLElement>('.card')?.dataset['id'];
}
