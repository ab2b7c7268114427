import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { currentSection } from './current-section.ts';
import { SECTIONS } from './sections.ts';

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
