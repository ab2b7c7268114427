import { ArrowLeft, ArrowRight, ChevronLeft, ChevronRight, type IconNode } from 'lucide';
import { type ComponentProps, h } from 'preact';
import './button.css';

interface IconProps {
  /** An icon from the package `lucide`. */
  readonly of: IconNode;
  /** True for 14 px instead of 16 px. */
  readonly small?: boolean;
  readonly filled?: boolean;
  readonly class?: string;
}

/** Icons that point along a row, and that are mirrored from right to left. */
const DIRECTED: ReadonlySet<IconNode> = new Set([ArrowLeft, ArrowRight, ChevronLeft, ChevronRight]);

/** Renders an icon without an accessible name, for use beside text or inside a labelled control. */
export function Icon({ of, small, filled, class: extra }: IconProps) {
  const names = [
    'icon',
    small && 'small',
    filled && 'filled',
    DIRECTED.has(of) && 'directed',
    extra,
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <svg class={names} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => h(tag, { key: index, ...attributes }))}
    </svg>
  );
}

/** Renders an icon with a label. If there is little room, the label is hidden, but screen readers still read it. */
export function IconLabel({ of, children }: { readonly of: IconNode; readonly children: string }) {
  return (
    <>
      <Icon of={of} />
      <span class="wide-text">{children}</span>
    </>
  );
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly icon?: IconNode;
  /** `primary`: the main action. `quiet`: no background. `danger`: an action that cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly size?: 'small' | 'medium' | 'big';
  readonly refused?: Refused;
}

/**
 * The reason why the action cannot be done now. The button then looks disabled and says the reason, but it stays reachable with the
 * keyboard, so `onClick` has to refuse the action in words.
 */
type Refused = string | undefined;

const refusedProps = (refused: Refused) =>
  refused === undefined
    ? {}
    : { 'aria-disabled': true, 'aria-description': refused, title: refused };

export function Button(props: ButtonProps) {
  const { icon, look, size, refused, class: extra, children, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      {...refusedProps(refused)}
      class={['btn', look, size, extra].filter(Boolean).join(' ')}
    >
      {icon && <Icon of={icon} small={size === 'small'} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: IconNode;
  /** The accessible name, also shown as the tooltip. */
  readonly label: string;
  /** True if a toggle button is on. The icon is then filled. */
  readonly pressed?: boolean;
  readonly small?: boolean;
  /** True if the button lies on top of an image. */
  readonly over?: boolean;
  readonly refused?: Refused;
}

export function IconButton(props: IconButtonProps) {
  const { icon, label, pressed, small, over, refused, class: extra, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      class={['icon-btn pickable', small && 'small', over && 'over', extra]
        .filter(Boolean)
        .join(' ')}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      {...refusedProps(refused)}
    >
      <Icon of={icon} small={small || over || false} filled={pressed ?? false} />
    </button>
  );
}
