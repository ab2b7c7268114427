import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
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

/**
 * Binds keys for as long as the component is shown and `active` holds. Single keys rest while text is typed, while a
 * dialog or menu is open, and where they are switched off.
 */
export function useShortcuts(bindings: KeyBindings, active = true): void {
  const current = useRef(bindings);
  current.current = bindings;
  const names = Object.keys(bindings).join('\n');
  useEffect(() => {
    if (!active) return;
    return tinykeys(
      window,
      Object.fromEntries(
        names.split('\n').map((name) => [name, (event) => run(name, event, current.current)]),
      ),
    );
  }, [names, active]);
}

function run(name: string, event: KeyboardEvent, bindings: KeyBindings): void {
  if (event.defaultPrevented) return;
  const isSingle = !/\$mod|Control|Meta|Alt/.test(name);
  if (isSingle && !(singleKeys.peek() || isNavigation(name))) return;
  if (
    isSingle &&
    (isTyping(event.target) || document.querySelector('dialog[open], .menu:popover-open'))
  ) {
    return;
  }
  bindings[name]?.(event);
}

/** Keys that every list and dialog has, whatever the setting. */
function isNavigation(name: string): boolean {
  return /Arrow|Enter|Escape|Home|End/.test(name);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  return (
    target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
  );
}
