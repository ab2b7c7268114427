import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './button.tsx';
import './banner.css';

interface Props {
  readonly icon: IconNode;
  /** The event that is announced to screen readers. */
  readonly title: string;
  readonly detail: ComponentChildren;
  /** The actions that are offered. */
  readonly children: ComponentChildren;
}

/** Shows above the content why the content does not change. */
export function Banner({ icon, title, detail, children }: Props) {
  return (
    <div class="banner row edged">
      <Icon of={icon} class="bad" />
      <div class="grow">
        <p role="alert">
          <b>{title}</b>
        </p>
        <p>{detail}</p>
      </div>
      {children}
    </div>
  );
}
