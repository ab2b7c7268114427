import type { Composition } from './composition.ts';
import { discs } from './compositions/discs.ts';
import { flow } from './compositions/flow.ts';
import { papercut } from './compositions/papercut.ts';
import { ribbons } from './compositions/ribbons.ts';
import { ridges } from './compositions/ridges.ts';
import { tiles } from './compositions/tiles.ts';
import type { Prng } from './prng.ts';

// Landscapes are listed twice because they are the most pleasant.
const COMPOSITIONS: readonly [Composition, ...Composition[]] = [
  ridges,
  flow,
  discs,
  papercut,
  ridges,
  ribbons,
  tiles,
];

/** Returns the composition for a prompt. */
export function chooseComposition(random: Prng): Composition {
  return random.pick(COMPOSITIONS);
}
