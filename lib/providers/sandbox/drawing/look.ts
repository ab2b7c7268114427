import { chooseComposition } from './compose.ts';
import type { Composition } from './composition.ts';
import { chooseMood, type Mood } from './palette.ts';
import { createPrng } from './prng.ts';

/** What all images of one prompt have in common. */
export interface Look {
  readonly composition: Composition;
  readonly mood: Mood;
}

/** `promptSeed` and `awaySeed` are hexadecimal; the second leads the mood away from a prompt that is not wanted. */
export function lookOf(promptSeed: string, awaySeed: string | undefined): Look {
  const away = awaySeed === undefined ? undefined : createPrng(awaySeed);
  return {
    composition: chooseComposition(createPrng(promptSeed)),
    // Another generator: every kind of image comes in every mood.
    mood: chooseMood(createPrng(`${promptSeed}1`), away),
  };
}
