import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from '../../controls/icon.tsx';
import './blank.css';

interface Props {
  readonly icon: IconNode;
  readonly title: string;
  readonly detail: string;
  readonly children?: ComponentChildren;
}

/** In place of cards: why there are none, and the one thing to do. */
export function Blank({ icon, title, detail, children }: Props) {
  return (
    <div class="blank">
      <Icon of={icon} class="faint" />
      <h2>{title}</h2>
      <p class="soft">{detail}</p>
      {children}
    </div>
  );
}
