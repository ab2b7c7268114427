import { Activity, ChartColumn, Database, List, Plug, Settings2, Table2 } from 'lucide';
import type { TextKey } from '../text/text.ts';

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
