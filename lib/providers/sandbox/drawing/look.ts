import { chooseComposition } from './compose.ts';
import type { Composition } from './composition.ts';
import { chooseMood, type Mood } from './palette.ts';
import { createPrng } from './prng.ts';

/** The properties that all images of one prompt share. */
export interface Look {
  readonly composition: Composition;
  readonly mood: Mood;
}

/**
 * Returns the look of a prompt. Both seeds are hexadecimal; `awaySeed` belongs to the negative prompt, whose mood is
 * avoided.
 */
export function lookOf(promptSeed: string, awaySeed: string | undefined): Look {
  const away = awaySeed === undefined ? undefined : createPrng(awaySeed);
  return {
    composition: chooseComposition(createPrng(promptSeed)),
    // A separate generator lets every composition occur with every mood.
    mood: chooseMood(createPrng(`${promptSeed}1`), away),
  };
}
