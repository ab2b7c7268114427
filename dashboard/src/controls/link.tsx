import type { ComponentChildren } from 'preact';
import { usePage } from '../page-context.ts';
import { ROOT } from '../router.ts';

interface Props {
  /** A path below /dashboard, such as '' or '/system'. */
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-current'?: 'page' | undefined;
}

/** Renders a link inside the page, which does not reload the page. The browser handles a click with a modifier key. */
export function Link({ to, ...rest }: Props) {
  const { router } = usePage();
  function follow(event: MouseEvent): void {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    router.navigate(to);
  }
  return <a {...rest} href={ROOT + to} onClick={follow} />;
}
