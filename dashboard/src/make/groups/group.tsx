import { ChevronRight } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../../controls/icon.tsx';
import './group.css';

interface Props {
  readonly title: string;
  /** What is set in it, in a few words, seen while it is folded. */
  readonly value: string;
  readonly children: ComponentChildren;
}

/** Settings that belong together, folded until somebody wants them. */
export function Group({ title, value, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <section class="group">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={ChevronRight} />
        {title}
        <span class="cut">{value}</span>
      </button>
      <div id={id} class="group-body" hidden={!isOpen}>
        {isOpen && children}
      </div>
    </section>
  );
}
