import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './button.tsx';
import './banner.css';

interface Props {
  readonly icon: IconNode;
  /** The class of the icon's colour. */
  readonly tone?: string;
  /** The reason, which is announced to screen readers. */
  readonly title: string;
  readonly detail: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Shows a message above content that is out of date, with actions that the user can take. */
export function Banner({ icon, tone = 'bad', title, detail, children }: Props) {
  return (
    <div class="banner row edged">
      <Icon of={icon} class={tone} />
      <div class="grow">
        <p role={tone === 'bad' ? 'alert' : 'status'}>
          <b>{title}</b>
        </p>
        <p>{detail}</p>
      </div>
      {children}
    </div>
  );
}
