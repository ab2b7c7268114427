import type { Placement } from '@floating-ui/dom';
import type { IconNode } from 'lucide';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import './menu.css';

interface MenuProps {
  /** The button that opened the menu. The menu is placed beside this button, and the focus returns to it. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly label: string;
  readonly role?: 'menu' | 'listbox' | 'dialog';
  readonly placement?: Placement;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/**
 * Shows a list or a small form beside its button for as long as the component is mounted. Arrows move between the
 * items. Escape, and a press outside the menu, close it.
 */
export function Menu(props: MenuProps) {
  const { anchor, label, role = 'menu', placement = 'bottom-start', onClose, children } = props;
  const menu = useRef<HTMLDivElement>(null);
  useFloating(anchor, menu, placement, onClose);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' || (event.key === 'Tab' && role !== 'dialog')) {
      event.preventDefault();
      event.stopPropagation();
      close();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || role === 'dialog') return;
    event.preventDefault();
    const items = focusable(menu.current);
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  }

  function close(): void {
    anchor.current?.focus();
    onClose();
  }

  return (
    <div
      ref={menu}
      popover="manual"
      class={['menu float', props.class].filter(Boolean).join(' ')}
      role={role}
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}

function useFloating(
  anchor: RefObject<HTMLElement | null>,
  menu: RefObject<HTMLDivElement | null>,
  placement: Placement,
  onClose: () => void,
): void {
  useEffect(() => {
    const [button, box] = [anchor.current, menu.current];
    if (button === null || box === null) return;
    // In the top layer, no scrolling or clipping ancestor of the button can cut off the menu.
    box.showPopover();
    const stop = keepPlaced(button, box, placement);
    const first = box.querySelector<HTMLElement>('[autofocus], [aria-selected="true"]');
    (first ?? focusable(box)[0])?.focus();
    const onPress = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!box.contains(target) && !button.contains(target)) onClose();
    };
    document.addEventListener('pointerdown', onPress, true);
    return () => {
      stop();
      document.removeEventListener('pointerdown', onPress, true);
    };
  }, []);
}

/**
 * Keeps the box beside its button until the returned function is called. The code that computes positions is loaded
 * with the first menu.
 */
function keepPlaced(button: HTMLElement, box: HTMLElement, placement: Placement): () => void {
  let stop: (() => void) | undefined;
  let isOver = false;
  // Transparent instead of hidden, because a hidden element cannot be focused.
  box.style.opacity = '0';
  void import('./floating.ts').then(({ follow }) => {
    if (isOver) return;
    stop = follow(button, box, placement);
    box.style.opacity = '';
  });
  return () => {
    isOver = true;
    stop?.();
  };
}

function focusable(box: HTMLElement | null): HTMLElement[] {
  const selector = 'button:not([disabled]), [role="option"], input:not([disabled]), a[href]';
  return [...(box?.querySelectorAll<HTMLElement>(selector) ?? [])];
}

interface MenuItemProps {
  readonly onChoose: () => void;
  readonly icon?: IconNode;
  readonly children: ComponentChildren;
  /** Smaller text below the label. */
  readonly detail?: ComponentChildren;
  /** Content at the end of the line, such as a key or a tag. */
  readonly end?: ComponentChildren;
  readonly disabled?: boolean;
  readonly role?: 'menuitem' | 'option' | 'menuitemradio';
  /** True if the item is the selected option. */
  readonly selected?: boolean;
}

export function MenuItem(props: MenuItemProps) {
  const { onChoose, icon, children, detail, end, disabled, role = 'menuitem', selected } = props;
  return (
    <button
      type="button"
      class="menu-item"
      role={role}
      aria-disabled={disabled}
      aria-selected={role === 'option' ? (selected ?? false) : undefined}
      aria-checked={role === 'menuitemradio' ? (selected ?? false) : undefined}
      tabIndex={-1}
      onClick={() => !disabled && onChoose()}
    >
      {icon ? <Icon of={icon} /> : <i />}
      <span class="cut">{children}</span>
      {end && <span class="end">{end}</span>}
      {detail && <small>{detail}</small>}
    </button>
  );
}
