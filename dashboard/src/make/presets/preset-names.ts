import type { Preset } from '../../api/schemas.ts';

/** The pattern of a preset name in the API. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns the name that people see. */
export function titleOf({ title, name }: Pick<Preset, 'title' | 'name'>): string {
  return title ?? name;
}

/**
 * Returns a free name for a preset with this title: the title itself if the API allows it as a name, otherwise its Latin letters
 * and digits, with a number if the name is taken.
 */
export function nameFor(title: string, taken: ReadonlySet<string>): string {
  if (NAME.test(title) && !taken.has(title)) return title;
  const letters = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 56);
  const base = letters === '' ? 'preset' : letters;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}
