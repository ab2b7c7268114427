import { colorDistance, parseColor, type Rgb } from '../../images/color.ts';
import {
  drop,
  type Negotiation,
  normalize,
  record,
  refuse,
  type TransparencyPlan,
} from './negotiation.ts';

const NONE: TransparencyPlan = { kind: 'none' };

/**
 * Decides how the image gets a transparent background: from the alpha channel of the provider if the model supports alpha,
 * otherwise from a key colour that the bridge removes. JPEG has no alpha channel, so a JPEG output is rejected or changed to PNG.
 */
export function planTransparency(negotiation: Negotiation, prompt: string): TransparencyPlan {
  const { effective, capabilities } = negotiation;
  const { background } = effective;
  if (background === 'auto') return NONE;
  if (background === 'opaque') {
    if (!capabilities.backgrounds.includes('opaque')) {
      normalize(negotiation, 'background', 'auto', 'normalized_to_provider_default');
    }
    return NONE;
  }
  const plan = planAlpha(negotiation, prompt);
  if (plan.kind !== 'none') leaveJpeg(negotiation);
  if (plan.kind === 'chroma_key') {
    const reason = 'provider_alpha_emulated_with_local_chroma_key';
    record(negotiation, 'background', 'transparent', reason);
  }
  return plan;
}

/**
 * Chooses the method for a transparent background. The transparency mode `auto` follows the capabilities of the model. Any other
 * mode is applied as requested or refused.
 */
function planAlpha(negotiation: Negotiation, prompt: string): TransparencyPlan {
  const { capabilities, request } = negotiation;
  const { mode, key_color: keyColor } = request.output.transparency;
  const declared = capabilities.transparent_background;
  if (mode !== 'chroma_key' && declared === 'native') return { kind: 'native' };
  if (mode === 'native') {
    refuse(negotiation, 'parameters.background');
    return NONE;
  }
  if (mode === 'auto' && declared === 'unsupported') {
    drop(negotiation, 'background', 'auto');
    return NONE;
  }
  return { kind: 'chroma_key', keyColor: keyColor ?? chooseKeyColor(prompt) };
}

function leaveJpeg(negotiation: Negotiation): void {
  const { effective, mode } = negotiation;
  if (effective.output_format !== 'jpeg') return;
  const reason = 'transparent_output_requires_alpha_capable_format';
  normalize(negotiation, 'output_format', 'png', reason);
  if (mode !== 'strict' && effective.output_compression !== null) {
    record(negotiation, 'output_compression', null, reason);
  }
}

/** The possible key colours. Green is the usual key colour. The other colours are for subjects that are green. */
const CANDIDATES = ['#00FF00', '#FF00FF', '#0000FF', '#00FFFF', '#FF0000', '#FFFF00'] as const;
/**
 * The colour distance from which a candidate is far enough. All larger distances count as equal, so that the order of the
 * candidates decides.
 */
const FAR_ENOUGH = 160;

/** Words that name a colour or a thing of that colour, in the singular and in lower case. */
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
 * Chooses the key colour for a request that names no key colour. Chooses the candidate that is farthest from the colours in the
 * prompt, or green if the prompt names no colour. Always returns the same colour for the same prompt.
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
    // A final `s` is treated as a plural ending.
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
