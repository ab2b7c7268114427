import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import './banner.css';

interface Props {
  readonly icon: IconNode;
  /** What happened: announced. */
  readonly title: string;
  readonly detail: ComponentChildren;
  /** What can be done. */
  readonly children: ComponentChildren;
}

/** Over what is shown: why it does not change. */
export function Banner({ icon, title, detail, children }: Props) {
  return (
    <div class="banner">
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
