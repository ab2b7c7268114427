import type { RefObject } from 'preact';
import { isOpen } from '../../jobs/job-state.ts';
import { usePage } from '../../page-context.ts';
import { type KeyBindings, useShortcuts } from '../../shell/shortcuts.ts';
import { type Direction, neighbour } from '../layout/neighbour.ts';
import { useGallery } from '../state/use-gallery.ts';
import { cardOf, focusCard } from './use-feed-focus.ts';

const ARROWS = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
} as const satisfies Record<string, Direction>;

/** The keys of the gallery. They act on what was chosen, else on the focused card; never on the one that is pointed at. */
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
      // From nowhere the arrows lead into the gallery; inside other controls they are theirs.
      if (document.activeElement !== document.body || direction === 'first' || direction === 'last')
        return;
      const start = state.cursor.peek();
      if (start === undefined) return;
      event.preventDefault();
      focusCard(scroller.current, start);
      return;
    }
    event.preventDefault();
    const to = neighbour(layout, from, direction);
    if (to === undefined) return;
    if (event.shiftKey) state.selection.extend(state.arrivals.shown.peek(), from, to);
    state.cursor.value = to;
  }

  return Object.fromEntries(
    Object.entries(ARROWS).flatMap(([key, direction]) => [
      [key, (event: KeyboardEvent) => move(event, direction)],
      [`Shift+${key}`, (event: KeyboardEvent) => move(event, direction)],
    ]),
  );
}

function useCommands(): KeyBindings {
  const { jobs } = usePage();
  const { state, actions } = useGallery();
  const { selection } = state;
  const job = (id: string | undefined) => (id === undefined ? undefined : jobs.get(id)?.peek());

  /** What the key acts on; nothing while neither a card is focused nor any is chosen. */
  function on(run: (ids: readonly string[], first: string) => void) {
    return (event: KeyboardEvent) => {
      const isChosen = selection.ids.peek().size > 0;
      if (!isChosen && cardOf(document.activeElement) === undefined) return;
      const ids = state.targets();
      const [first] = ids;
      if (first === undefined) return;
      event.preventDefault();
      run(ids, first);
    };
  }

  const hide = on((ids, first) => {
    const open = job(first);
    if (ids.length === 1 && open && isOpen(open)) actions.cancel(first);
    else void actions.setHidden(ids, job(first)?.deleted === undefined);
  });
  return {
    x: on(() => {
      const id = state.cursor.peek();
      if (id !== undefined) selection.toggle(id);
    }),
    f: on((ids, first) => void actions.setFavorite(ids, job(first)?.favorite !== true)),
    h: on((ids, first) => void actions.setHidden(ids, job(first)?.deleted === undefined)),
    Delete: hide,
    e: on((_ids, first) => actions.editThis(first)),
    r: on((ids) => void actions.makeAgain(ids)),
    d: on((ids) => void actions.download(ids)),
    c: on((ids) => actions.compare(ids)),
    '$mod+a': (event) => {
      if (!isFree(event.target)) return;
      event.preventDefault();
      selection.all(state.arrivals.shown.peek());
    },
    Escape: () => {
      if (selection.active.peek()) selection.clear();
    },
  };
}

/** Whether the key is not meant for a text. */
function isFree(target: EventTarget | null): boolean {
  return !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement);
}
