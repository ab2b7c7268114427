import { colorDistance, parseColor, type Rgb } from '../../images/color.ts';

/** The first is the usual key colour; the others are for subjects that are green themselves. */
const CANDIDATES = ['#00FF00', '#FF00FF', '#0000FF', '#00FFFF', '#FF0000', '#FFFF00'] as const;
/** Distances beyond this count as equal: then the order decides. */
const FAR_ENOUGH = 160;

/** Words that name a colour, and things that have one; singular and in lower case. */
const NAMED: readonly (readonly [color: Rgb, words: string])[] = [
  [
    [60, 170, 60],
    'green grün grüner grünes grüne vert verte verde lime emerald jade mint moss chartreuse grass lawn meadow leaf leave ' +
      'foliage plant tree forest jungle fern ivy vine cactus succulent bamboo palm clover shamrock basil spinach lettuce ' +
      'broccoli cucumber pickle avocado pea pear kiwi olive frog toad turtle lizard gecko iguana chameleon crocodile ' +
      'alligator dinosaur dragon snake caterpillar mantis grasshopper parrot goblin orc zombie alien baum blatt frosch wiese',
  ],
  [
    [235, 90, 190],
    'pink magenta fuchsia rosa rose hotpink flamingo peony orchid cherry blossom bubblegum axolotl tulip',
  ],
  [
    [150, 60, 190],
    'purple violet lavender lilac mauve amethyst grape plum eggplant aubergine lila violett iris wisteria galaxy nebula',
  ],
  [
    [50, 90, 210],
    'blue navy indigo cobalt sapphire denim jean blueberry blau blaue blauer blaues bleu bleue azul sky ocean sea water ' +
      'river lake whale dolphin shark peacock bluebird meer himmel wasser',
  ],
  [[40, 190, 200], 'cyan turquoise teal aqua aquamarine türkis lagoon'],
  [
    [215, 45, 40],
    'red crimson scarlet ruby rot rote roter rotes rouge rojo roja blood cherry strawberry tomato ladybug ladybird poppy brick',
  ],
  [[245, 140, 40], 'orange amber pumpkin carrot tangerine fox tiger fire flame copper'],
  [
    [245, 215, 60],
    'yellow gold golden lemon banana sunflower canary honey gelb gelbe gelber gelbes jaune amarillo amarilla sun duckling',
  ],
];

const COLORS: ReadonlyMap<string, readonly Rgb[]> = byWord();

/**
 * The flat background to ask for when the request names none: as far as possible from the colours that the prompt names,
 * and green where it names none. The same prompt always gives the same colour.
 */
export function chooseKeyColor(prompt: string): string {
  const named = colorsIn(prompt);
  const scores = CANDIDATES.map((candidate) => {
    const key = parseColor(candidate);
    return Math.min(FAR_ENOUGH, ...named.map((color) => colorDistance(color, key)));
  });
  return CANDIDATES[scores.indexOf(Math.max(...scores))] ?? CANDIDATES[0];
}

function colorsIn(prompt: string): readonly Rgb[] {
  const hexadecimal = prompt.match(/#[0-9a-f]{6}(?![0-9a-z])/gi) ?? [];
  const words = prompt.toLowerCase().match(/\p{L}+/gu) ?? [];
  return [
    ...hexadecimal.map(parseColor),
    // A plural is taken for a word that ends with s.
    ...new Set(
      words.flatMap((word) => COLORS.get(word) ?? COLORS.get(word.replace(/s$/, '')) ?? []),
    ),
  ];
}

function byWord(): ReadonlyMap<string, readonly Rgb[]> {
  const colors = new Map<string, Rgb[]>();
  for (const [color, words] of NAMED) {
    for (const word of words.split(' ')) colors.set(word, [...(colors.get(word) ?? []), color]);
  }
  return colors;
}
