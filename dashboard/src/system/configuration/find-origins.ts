import type { Diagnostics } from '../../api/schemas.ts';

export type Origin = Diagnostics['configuration']['origins'][number];

/** Splits settings into changed settings and settings with default values. */
export function splitOrigins(origins: readonly Origin[]) {
  const changed = origins.filter(({ source }) => source !== 'default');
  return { changed, untouched: origins.filter(({ source }) => source === 'default') };
}

/** Returns the settings whose names contain every word of the search, ignoring case. Changed settings come first. */
export function findOrigins(origins: readonly Origin[], search: string): readonly Origin[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const { changed, untouched } = splitOrigins(origins);
  return [...changed, ...untouched].filter(({ field }) =>
    words.every((word) => field.toLowerCase().includes(word)),
  );
}
