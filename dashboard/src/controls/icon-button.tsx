import type { IconNode } from 'lucide';
import type { Ref } from 'preact';
import { Icon } from './icon.tsx';
import './icon-button.css';

interface Props {
  readonly icon: IconNode;
  /** Its accessible name and its tooltip. */
  readonly label: string;
  readonly onClick?: (event: MouseEvent) => void;
  /** For a switch: on or off. The icon is filled when it is on. */
  readonly pressed?: boolean;
  readonly small?: boolean;
  /** On top of an image. */
  readonly over?: boolean;
  readonly disabled?: boolean;
  readonly class?: string;
  readonly tabIndex?: number;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly 'aria-expanded'?: boolean;
  readonly 'aria-haspopup'?: 'menu' | 'dialog' | 'listbox';
}

export function IconButton(props: Props) {
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
