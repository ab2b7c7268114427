const SUBJECTS =
  'red fox|lighthouse keeper|grandmother with flour on her hands|stray cat|violin maker|glass greenhouse|night train|paper boat|harbour crane|beekeeper|snow leopard|market stall of oranges|ballet dancer|robot gardener|stone bridge|whale under the ice|library of moss|bowl of ramen|desert caravan|child with a kite|barn owl|steam locomotive|astronaut|porcelain teapot|wolf|mountain hut|street musician|jellyfish|old fisherman|castle in ruins|bicycle courier|field of poppies|tabby kitten|samurai|city tram|fountain pen|apple orchard|octopus|hot air balloon|dragon';
const PLACES =
  'in the fog|at the edge of a cliff|on a wooden table|in a crowded square|beneath the northern lights|by the window|in tall grass|on a rainy street|inside a cathedral|under a bridge|in the snow|on the beach at low tide|in an abandoned factory|beside a canal|at the top of the stairs|in a kitchen with blue tiles|on the moon|between two skyscrapers|in a birch forest|at a petrol station';
const STYLES =
  'photograph|oil painting|watercolour|charcoal sketch|isometric render|linocut|double exposure|pixel art|studio portrait|children’s book illustration|technical drawing|botanical plate|matte painting|film still|woodblock print|claymation frame|vector icon|fresco|infrared photograph|collage';
const LIGHTS =
  'golden hour|soft window light|neon reflections|harsh midday sun|candlelight|overcast sky|rim light from the left|long shadows|moonlight|volumetric light|blue hour|firelight';
const DETAILS =
  'shallow depth of field|85mm lens|grain of old film|muted palette|high contrast|every leaf visible|wide angle|seen from above|symmetrical composition|empty background|warm colours|hand-made paper texture|no text|cinematic|sharp focus on the eyes|a single yellow accent|highly detailed|pastel tones|thick brush strokes|rule of thirds|tilted horizon|reflections in puddles|dust in the air|minimalist';
const FOREIGN =
  'Ein roter Fuchs im Schnee, weiches Licht, große Schärfe|雪の中の赤い狐、夕暮れの光|Рыжая лиса на снегу, мягкий свет|Un renard roux dans la neige, lumière du soir|ثعلب أحمر في الثلج|눈 속의 붉은 여우, 부드러운 빛|Μια κόκκινη αλεπού στο χιόνι|雪地里的红狐狸，柔和的光线';
const SYLLABLES =
  'ba|be|bo|da|de|do|fa|fe|ga|go|ha|he|ka|ke|ko|la|le|li|lo|ma|me|mi|mo|na|ne|ni|no|pa|pe|po|ra|re|ri|ro|sa|se|si|so|ta|te|ti|to|va|ve|vi|wa|ya';

const [subjects, places, styles, lights] = [
  list(SUBJECTS),
  list(PLACES),
  list(STYLES),
  list(LIGHTS),
];
const [details, foreign, syllables] = [list(DETAILS), list(FOREIGN), list(SYLLABLES)];

/**
 * Returns a prompt as people write it, of some two hundred characters, sometimes in another script, and with names that occur
 * hardly anywhere else. `draw` returns numbers from 0 to 1, exclusive.
 */
export function writePrompt(draw: () => number): string {
  const below = (limit: number) => Math.floor(draw() * limit);
  // The first words of each list are the most frequent.
  const one = (words: readonly string[]) => words[Math.floor(draw() ** 2 * words.length)] ?? '';
  const name = () => {
    const word = Array.from({ length: 2 + below(3) }, () => syllables[below(syllables.length)]);
    return word.join('').replace(/^./, (letter) => letter.toUpperCase());
  };
  if (below(50) === 0) return `${one(foreign)}, ${name()}`;
  const parts = [`${one(styles)} of a ${one(subjects)} ${one(places)}`, one(lights)];
  if (below(3) === 0) parts.push(`in the manner of ${name()} ${name()}`);
  if (below(3) === 0) parts.push(`with a ${one(subjects)} ${one(places)} behind it`);
  for (let count = 2 + below(10); count > 0; count -= 1) parts.push(one(details));
  if (below(10) === 0) parts.push(`seed ${below(1_000_000)}`);
  return `${parts.join(', ')}.`;
}

function list(words: string): readonly string[] {
  return words.split('|');
}
