import type { ComponentChildren } from 'preact';
import './box.css';

interface Props {
  /** What the address has behind `#`, where the box is a part of its own. */
  readonly id?: string;
  readonly title: ComponentChildren;
  /** Behind the title. */
  readonly end?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A box of the view, under a heading. */
export function Box({ id, title, end, class: extra, children }: Props) {
  const Heading = id === undefined ? 'h3' : 'h2';
  return (
    <section id={id} class={`box ${extra ?? ''}`} tabIndex={id === undefined ? undefined : -1}>
      <div class="box-head">
        <Heading>{title}</Heading>
        {end}
      </div>
      {children}
    </section>
  );
}
