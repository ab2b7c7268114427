import type { ComponentChildren } from 'preact';
import './box.css';

interface Props {
  /** The `id` of the box, which is the fragment of the address. Set if the box is a section of the view. */
  readonly id?: string;
  readonly title: ComponentChildren;
  /** Content after the title. */
  readonly end?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Box({ id, title, end, class: extra, children }: Props) {
  const Heading = id === undefined ? 'h3' : 'h2';
  return (
    <section
      id={id}
      class={`box stack ${extra ?? ''}`}
      tabIndex={id === undefined ? undefined : -1}
    >
      <div class="box-head">
        <Heading>{title}</Heading>
        {end}
      </div>
      {children}
    </section>
  );
}
