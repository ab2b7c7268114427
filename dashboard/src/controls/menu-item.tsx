import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import './menu-item.css';

interface Props {
  readonly onChoose: () => void;
  readonly icon?: IconNode;
  readonly children: ComponentChildren;
  /** Under the label, smaller. */
  readonly detail?: ComponentChildren;
  /** At the end of the line: a key, a tag. */
  readonly end?: ComponentChildren;
  readonly disabled?: boolean;
  readonly role?: 'menuitem' | 'option' | 'menuitemradio';
  /** For options: whether it is the one that is chosen. */
  readonly selected?: boolean;
}

export function MenuItem(props: Props) {
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
