import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from '../../controls/icon.tsx';
import './card-note.css';

interface Props {
  readonly icon: IconNode;
  readonly tone?: 'faint' | 'warn' | 'bad';
  readonly title: string;
  readonly say?: ComponentChildren;
  /** The prompt, where something else is said above. */
  readonly asked?: string | undefined;
  /** What can be done, or how long it takes. */
  readonly children?: ComponentChildren;
}

/** A card in words: no image yet, or none at all. */
export function CardNote({ icon, tone, title, say, asked, children }: Props) {
  return (
    <div class="card-note">
      <span class={['kind', tone].filter(Boolean).join(' ')}>
        <Icon of={icon} />
        <span class="cut">{title}</span>
      </span>
      {say && (
        <p class="say" dir="auto">
          {say}
        </p>
      )}
      {asked !== undefined && (
        <span class="asked cut" dir="auto">
          {asked}
        </span>
      )}
      {children && <span class="act">{children}</span>}
    </div>
  );
}
