import { Activity, Database, List, Plug, Settings2, Table2 } from 'lucide';
import type { TextKey } from '../text/text.ts';

/** The parts of the view, in its order. `id` is what the address has behind `#`. */
export const SECTIONS = [
  { id: 'providers', icon: Plug, name: 'system.providers' },
  { id: 'activity', icon: Activity, name: 'system.activity' },
  { id: 'models', icon: Table2, name: 'system.models' },
  { id: 'events', icon: List, name: 'system.events' },
  { id: 'storage', icon: Database, name: 'system.storage' },
  { id: 'configuration', icon: Settings2, name: 'system.configuration' },
] as const satisfies readonly { readonly name: TextKey; readonly [field: string]: unknown }[];

export type SectionId = (typeof SECTIONS)[number]['id'];

/** Where a part lies, from the upper edge of what is seen. */
export interface Extent {
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
