import type { Placement } from '@floating-ui/dom';
import type { IconNode } from 'lucide';
import { type ComponentChildren, createContext, type RefObject } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './button.tsx';
import './menu.css';

type Role = 'menu' | 'listbox' | 'dialog';

/** Returns the state of a menu, and the properties of its button and of the menu itself. */
export function useMenu(role: Role = 'menu') {
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const onClose = () => setOpen(false);
  return {
    isOpen,
    /** Closes the menu and returns the focus to its button. */
    close(): void {
      anchor.current?.focus();
      onClose();
    },
    button: {
      ref: anchor,
      'aria-haspopup': role,
      'aria-expanded': isOpen,
      onClick: () => setOpen(!isOpen),
    },
    menu: { anchor, role, onClose },
  };
}

interface MenuProps {
  /** The button that opened the menu. The menu is placed beside the button, and the focus returns to the button. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly role: Role;
  readonly onClose: () => void;
  readonly label: string;
  readonly placement?: Placement;
  readonly children: ComponentChildren;
  readonly class?: string;
}

const CloseMenu = createContext(() => {});

/** Shows a list or a small form beside its button. Escape, a chosen item, and a press outside close the menu. */
export function Menu(props: MenuProps) {
  const { anchor, label, role, placement = 'bottom-start', onClose, children } = props;
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
      <CloseMenu.Provider value={close}>{children}</CloseMenu.Provider>
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
    // A popover is shown in the top layer, where no ancestor of the button can clip the menu.
    box.showPopover();
    const controller = new AbortController();
    const { signal } = controller;
    // Until the menu has its position, the menu is transparent, because a hidden element cannot be focused.
    box.style.opacity = '0';
    // The code that computes positions is loaded with the first menu.
    void import('./floating.ts').then(({ follow }) => {
      if (signal.aborted) return;
      const onPlaced = () => {
        // The list has no height before this point, so the selected item is scrolled into view here.
        if (first && box.contains(document.activeElement))
          first.scrollIntoView({ block: 'center' });
        box.style.opacity = '';
      };
      signal.addEventListener('abort', follow(button, box, placement, onPlaced));
    });
    const first = box.querySelector<HTMLElement>('[autofocus], [aria-selected="true"]');
    (first ?? focusable(box)[0])?.focus({ preventScroll: true });
    const onPress = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!box.contains(target) && !button.contains(target)) onClose();
    };
    document.addEventListener('pointerdown', onPress, { capture: true, signal });
    return () => controller.abort();
  }, []);
}

function focusable(box: HTMLElement | null): HTMLElement[] {
  const selector = 'button:not([disabled]), [role="option"], input:not([disabled]), a[href]';
  return [...(box?.querySelectorAll<HTMLElement>(selector) ?? [])];
}

interface MenuItemProps {
  /** Called after the menu was closed. */
  readonly onChoose: () => void;
  readonly icon?: IconNode;
  readonly children: ComponentChildren;
  /** Smaller text below the label. */
  readonly detail?: ComponentChildren;
  /** Content at the end of the line, such as a key or a tag. */
  readonly end?: ComponentChildren;
  readonly disabled?: boolean;
  readonly role?: 'menuitem' | 'option' | 'menuitemradio' | 'menuitemcheckbox';
  /** True if the item is the selected option. */
  readonly selected?: boolean;
}

export function MenuItem(props: MenuItemProps) {
  const { onChoose, icon, children, detail, end, disabled } = props;
  const { role = 'menuitem', selected = false } = props;
  const close = useContext(CloseMenu);
  return (
    <button
      type="button"
      class="menu-item pickable"
      role={role}
      aria-disabled={disabled}
      aria-selected={role === 'option' ? selected : undefined}
      aria-checked={role.startsWith('menuitem') && role !== 'menuitem' ? selected : undefined}
      tabIndex={-1}
      onClick={() => {
        if (disabled) return;
        close();
        onChoose();
      }}
    >
      {icon ? <Icon of={icon} /> : <i />}
      <span class="cut">{children}</span>
      {end && <span class="end">{end}</span>}
      {detail && <small>{detail}</small>}
    </button>
  );
}

export function MenuGroup({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div role="group" aria-label={title}>
      <p class="menu-head" aria-hidden="true">
        {title}
      </p>
      {children}
    </div>
  );
}
