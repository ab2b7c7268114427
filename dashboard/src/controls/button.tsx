import type { IconNode } from 'lucide';
import type { ComponentChildren, Ref } from 'preact';
import { Icon } from './icon.tsx';
import './button.css';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (event: MouseEvent) => void;
  readonly icon?: IconNode;
  /** `primary`: the main action. `quiet`: no surface. `danger`: an action that cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly size?: 'small' | 'medium' | 'big';
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly class?: string;
  readonly tabIndex?: number;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly 'aria-label'?: string;
  readonly 'aria-pressed'?: boolean;
  readonly 'aria-expanded'?: boolean;
  readonly 'aria-haspopup'?: 'menu' | 'dialog' | 'listbox';
}

export function Button(props: ButtonProps) {
  const {
    children,
    icon,
    look = 'plain',
    size = 'medium',
    class: extra,
    buttonRef,
    ...rest
  } = props;
  const names = ['btn', look, size, extra].filter(Boolean).join(' ');
  return (
    <button type="button" {...rest} ref={buttonRef ?? null} class={names}>
      {icon && <Icon of={icon} small={size === 'small'} />}
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconNode;
  /** The accessible name, also shown as the tooltip. */
  readonly label: string;
  readonly onClick?: (event: MouseEvent) => void;
  /** For a toggle button: true if on. The icon is filled when on. */
  readonly pressed?: boolean;
  readonly small?: boolean;
  /** True if the button lies on top of an image. */
  readonly over?: boolean;
  readonly disabled?: boolean;
  readonly class?: string;
  readonly tabIndex?: number;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly 'aria-expanded'?: boolean;
  readonly 'aria-haspopup'?: 'menu' | 'dialog' | 'listbox';
}

export function IconButton(props: IconButtonProps) {
  const { icon, label, pressed, small, over, class: extra, buttonRef, ...rest } = props;
  const names = ['icon-btn', small && 'small', over && 'over', extra].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      {...rest}
      ref={buttonRef ?? null}
      class={names}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
    >
      <Icon of={icon} small={small || over || false} filled={pressed ?? false} />
    </button>
  );
}
