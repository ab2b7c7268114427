import { useLayoutEffect, useRef } from 'preact/hooks';
import { tinykeys } from 'tinykeys';
import { singleKeys } from './preferences.ts';

/** Handlers by key. Keys are in the notation of tinykeys, for example `$mod+Enter`, `g i` or `Shift+ArrowLeft`. */
export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** The scope of keys. An open dialog disables the keys of the page. */
type Scope = 'page' | 'dialog';

/**
 * Binds keys while `active` is true. Keys of the page are inactive while a dialog is open. Single keys are also
 * inactive while text is typed, while a menu is open, and if the user has turned off single-key shortcuts.
 */
export function useShortcuts(bindings: KeyBindings, active = true, scope: Scope = 'page'): void {
  const current = useRef(bindings);
  current.current = bindings;
  const names = Object.keys(bindings).join('\n');
  useLayoutEffect(() => {
    if (!active) return;
    return tinykeys(
      window,
      Object.fromEntries(
        names
          .split('\n')
          .map((name) => [name, (event) => run(name, event, current.current, scope)]),
      ),
    );
  }, [names, active, scope]);
}

/** Removes the focus from a text field on Escape. Then the single keys work, and the arrow keys move into the gallery. */
export function leaveByEscape({ key, isComposing, currentTarget }: KeyboardEvent): void {
  // While an input method composes text, Escape belongs to the input method.
  if (key === 'Escape' && !isComposing) (currentTarget as HTMLElement).blur();
}

function run(name: string, event: KeyboardEvent, bindings: KeyBindings, scope: Scope): void {
  if (event.defaultPrevented) return;
  if (scope === 'page' && document.querySelector('dialog[open]')) return;
  const isSingle = !/\$mod|Control|Meta|Alt/.test(name);
  if (isSingle && !(singleKeys.peek() === 'on' || isNavigation(name))) return;
  if (isSingle && (isTyping(event.target, name) || document.querySelector('.menu:popover-open'))) {
    return;
  }
  bindings[name]?.(event);
}

/** Returns true for keys that every list and dialog uses. The setting for single keys does not affect these keys. */
function isNavigation(name: string): boolean {
  return /Arrow|Enter|Escape|Home|End/.test(name);
}

function isTyping(target: EventTarget | null, name: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A slider handles the navigation keys itself.
  if (target instanceof HTMLInputElement && target.type === 'range') return isNavigation(name);
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  return (
    target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
  );
}
