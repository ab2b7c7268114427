/**
 * Returns a key handler for a group of buttons with a single Tab stop. Arrows, Home and End move the focus, and
 * `onMove` receives the index of the focused button. Follows the ARIA Authoring Practices for radio groups, tabs and
 * toolbars.
 */
export function rovingFocus(onMove: (index: number) => void) {
  return (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button:not([disabled])')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = target(event.key, at, items.length);
    const item = to === undefined ? undefined : items[to];
    if (to === undefined || item === undefined) return;
    event.preventDefault();
    item.focus();
    onMove([...event.currentTarget.querySelectorAll('button')].indexOf(item as HTMLButtonElement));
  };
}

function target(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
