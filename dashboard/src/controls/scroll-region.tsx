import type { ComponentChildren } from 'preact';

interface Props {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** Renders a region that scrolls if its content is larger than the region. */
export function ScrollRegion({ label, class: extra, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll only an element that can be focused
    <div class={`scroll ${extra}`} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
