import type { QueuePlaces } from './queue-places.ts';

/** Returns the handler of the keys in the drawer. `close` closes the drawer. */
export function useQueueKeys(places: QueuePlaces, close: () => void) {
  /** Moves the focus by one row, or with 0 to the row of the cursor. With `isSelecting`, selects the rows on the way. */
  function step(by: number, isSelecting: boolean): void {
    const { value: ids } = places.shown;
    const at = ids.indexOf(places.cursor.id.peek() ?? '');
    const next = ids[Math.min(Math.max(at + by, 0), ids.length - 1)];
    if (next === undefined) return;
    if (isSelecting) {
      const from = ids[at];
      places.chosen.value = new Set([
        ...places.chosen.peek(),
        ...(from === undefined ? [] : [from]),
        next,
      ]);
    }
    places.cursor.focus(next);
  }

  return function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== 'a') return;
      event.preventDefault();
      places.chosen.value = new Set(places.shown.peek());
      return;
    }
    if (event.key === 'Escape') {
      event.preventDefault();
      if (places.chosen.peek().size > 0) places.chosen.value = new Set();
      else close();
      return;
    }
    const isInRow =
      event.target instanceof HTMLElement && event.target.closest('.queue-wait') !== null;
    const isMove = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    if (isMove && event.altKey) {
      if (!isInRow) return;
      event.preventDefault();
      void places.move(places.targets(), event.key === 'ArrowUp' ? 'up' : 'down');
    } else if (isMove) {
      event.preventDefault();
      // From outside the list, the first step reaches the row of the cursor.
      step(isInRow ? (event.key === 'ArrowUp' ? -1 : 1) : 0, event.shiftKey && isInRow);
    } else if (event.key === 'Home' && event.altKey && isInRow) {
      event.preventDefault();
      void places.move(places.targets(), 'first');
    } else if (event.key === 'Delete' && (isInRow || places.chosen.peek().size > 0)) {
      event.preventDefault();
      void places.cancel(places.targets());
    }
  };
}
