import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { SECTIONS } from './sections.ts';

/** Where a part lies, from the upper edge of what is seen. */
interface Extent {
  readonly id: string;
  readonly top: number;
  readonly bottom: number;
}

/**
 * The part that somebody looks at: the one that the address names while its beginning is seen, else the first one that is
 * seen. `height` is that of what is seen.
 */
export function currentSection(
  extents: readonly Extent[],
  height: number,
  named: string,
): string | undefined {
  const target = extents.find(({ id }) => id === named);
  if (target && target.top >= -1 && target.top < height) return target.id;
  // A strip at the upper edge does not count as seen.
  return extents.find(({ bottom }) => bottom > height / 8)?.id;
}

/** The part of the view that somebody looks at. */
export function useCurrentSection(scroller: RefObject<HTMLElement | null>): string {
  const [current, setCurrent] = useState<string>(SECTIONS[0].id);
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const look = () => {
      const { top: edge, height } = box.getBoundingClientRect();
      const extents = SECTIONS.flatMap(({ id }) => {
        const rect = document.getElementById(id)?.getBoundingClientRect();
        return rect ? [{ id, top: rect.top - edge, bottom: rect.bottom - edge }] : [];
      });
      setCurrent(currentSection(extents, height, location.hash.slice(1)) ?? SECTIONS[0].id);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    window.addEventListener('hashchange', look);
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
      window.removeEventListener('hashchange', look);
    };
  }, [scroller]);
  return current;
}
