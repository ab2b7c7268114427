import { chooseComposition } from './compose.ts';
import type { Composition } from './composition.ts';
import { chooseMood, type Mood } from './palette.ts';
import { createPrng } from './prng.ts';

/** What all images of one prompt have in common. */
export interface Look {
  readonly composition: Composition;
  readonly mood: Mood;
}

/** `promptSeed` and `awaySeed` are hexadecimal; the second is of the negative prompt, whose mood is avoided. */
export function lookOf(promptSeed: string, awaySeed: string | undefined): Look {
  const away = awaySeed === undefined ? undefined : createPrng(awaySeed);
  return {
    composition: chooseComposition(createPrng(promptSeed)),
    // A separate generator: every composition occurs with every mood.
    mood: chooseMood(createPrng(`${promptSeed}1`), away),
  };
}
