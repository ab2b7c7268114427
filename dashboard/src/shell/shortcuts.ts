import { type ReadonlySignal, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { tinykeys } from 'tinykeys';

/** From the notation of tinykeys (`$mod+Enter`, `g i`, `Shift+ArrowLeft`) to what the key does. */
export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const KEY = 'image-bridge.single-keys';
const singleKeys = signal(localStorage.getItem(KEY) !== 'off');

/** Whether keys without Ctrl, Alt or ⌘ do something. Some speech input types them by accident, hence the switch. */
export const singleKeysOn: ReadonlySignal<boolean> = singleKeys;

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem(KEY, on ? 'on' : 'off');
}

/** A dialog that is open has the keys for itself. */
type Scope = 'page' | 'dialog';

/**
 * Binds keys for as long as the component is shown and `active` holds, from the moment that it is drawn. Keys of the page
 * rest while a dialog is open, and single keys while text is typed, while a menu is open, and where they are switched off.
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

function run(name: string, event: KeyboardEvent, bindings: KeyBindings, scope: Scope): void {
  if (event.defaultPrevented) return;
  if (scope === 'page' && document.querySelector('dialog[open]')) return;
  const isSingle = !/\$mod|Control|Meta|Alt/.test(name);
  if (isSingle && !(singleKeys.peek() || isNavigation(name))) return;
  if (isSingle && (isTyping(event.target, name) || document.querySelector('.menu:popover-open'))) {
    return;
  }
  bindings[name]?.(event);
}

/** Keys that every list and dialog has, whatever the setting. */
function isNavigation(name: string): boolean {
  return /Arrow|Enter|Escape|Home|End/.test(name);
}

function isTyping(target: EventTarget | null, name: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A slider has the arrows for itself.
  if (target instanceof HTMLInputElement && target.type === 'range') return isNavigation(name);
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  return (
    target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
  );
}
