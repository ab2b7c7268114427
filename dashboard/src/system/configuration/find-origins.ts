import type { Diagnostics } from '../../api/schemas.ts';

export type Origin = Diagnostics['configuration']['origins'][number];

/** Those that somebody has set, and the others. */
export function splitOrigins(origins: readonly Origin[]) {
  const changed = origins.filter(({ source }) => source !== 'default');
  return { changed, untouched: origins.filter(({ source }) => source === 'default') };
}

/** Those whose name has every word of the search, whatever its case; those that somebody has set come first. */
export function findOrigins(origins: readonly Origin[], search: string): readonly Origin[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const { changed, untouched } = splitOrigins(origins);
  return [...changed, ...untouched].filter(({ field }) =>
    words.every((word) => field.toLowerCase().includes(word)),
  );
}
