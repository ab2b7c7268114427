import { Activity, ChartColumn, Database, List, Plug, Settings2, Table2 } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TextKey } from '../text/text.ts';

/** The position of a section in CSS pixels, relative to the upper edge of the viewport. */
interface Extent {
  readonly id: string;
  readonly top: number;
  readonly bottom: number;
}

/** Returns the section named by the address if its start is visible, otherwise the first visible section. */
export function currentSection(
  extents: readonly Extent[],
  height: number,
  named: string,
): string | undefined {
  const target = extents.find(({ id }) => id === named);
  if (target && target.top >= -1 && target.top < height) return target.id;
  // A section is treated as visible if its end is below the top eighth of the viewport.
  return extents.find(({ bottom }) => bottom > height / 8)?.id;
}

/** Returns the id of the section that the user is viewing. */
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

/** The sections of the view, in order. `id` is the fragment of the address. */
export const SECTIONS = [
  { id: 'providers', icon: Plug, name: 'system.providers' },
  { id: 'activity', icon: Activity, name: 'system.activity' },
  { id: 'models', icon: Table2, name: 'system.models' },
  { id: 'events', icon: List, name: 'system.events' },
  { id: 'usage', icon: ChartColumn, name: 'system.usage' },
  { id: 'storage', icon: Database, name: 'system.storage' },
  { id: 'configuration', icon: Settings2, name: 'system.configuration' },
] as const satisfies readonly { readonly name: TextKey; readonly [field: string]: unknown }[];
