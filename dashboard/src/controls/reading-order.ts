/** Returns true if the items of a row go from right to left at an element, so that the next item is on the left. */
export function isRightToLeft(at: Element = document.documentElement): boolean {
  return getComputedStyle(at).direction === 'rtl';
}

/** Binds the horizontal arrow keys of the page to a step along a row: 1 to the next item, -1 to the item before. */
export function rowArrows(step: (by: 1 | -1, event: KeyboardEvent) => void) {
  return {
    ArrowLeft: (event: KeyboardEvent) => step(isRightToLeft() ? 1 : -1, event),
    ArrowRight: (event: KeyboardEvent) => step(isRightToLeft() ? -1 : 1, event),
  };
}
