/** The options of one model (table of the image models in the reference, 2026-11). */
export interface ModelFamily {
  readonly sizes: 'free' | 'standard';
  readonly qualities: readonly string[];
  readonly hasTransparency: boolean;
  readonly fidelities: readonly string[];
  readonly hasComplexity?: true;
}

const BASIC = ['low', 'medium', 'high'];

export const GPT_IMAGE_2: ModelFamily = {
  sizes: 'free',
  qualities: BASIC,
  // In preview. Rejected again since 2026-10.
  hasTransparency: false,
  fidelities: [],
};
const FREE_LATER: ModelFamily = {
  sizes: 'free',
  qualities: [...BASIC, 'xhigh', 'max'],
  hasTransparency: true,
  fidelities: [],
};
const STANDARD: ModelFamily = {
  sizes: 'standard',
  qualities: BASIC,
  hasTransparency: true,
  fidelities: ['low', 'high'],
};

/** All available models. `dall-e-2`, `dall-e-3` and `gpt-image-1` are switched off. */
export const OPENAI_MODELS: Readonly<Record<string, ModelFamily>> = {
  'gpt-image-2': GPT_IMAGE_2,
  'gpt-image-2-2026-04-21': GPT_IMAGE_2,
  'gpt-image-2.5-sunburst': FREE_LATER,
  'gpt-image-2.5-sunburst-2026-09-08': FREE_LATER,
  'gpt-image-2.5-flare': FREE_LATER,
  'gpt-image-2.5-flare-2026-09-08': FREE_LATER,
  'gpt-image-2.6-sunburst': { ...FREE_LATER, hasComplexity: true },
  'gpt-image-2.6-flare': { ...FREE_LATER, hasComplexity: true },
  'gpt-image-1.5': STANDARD,
  'chatgpt-image-latest': STANDARD,
  'gpt-image-1-mini': { ...STANDARD, fidelities: ['low'] },
};

const STANDARD_SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const MAX_EDGE_PX = 3840;
const MIN_PIXELS = 655_360;
const MAX_PIXELS = 8_294_400;

/** Returns true if the family supports this size, which is `auto` or `WxH`. */
export function isSizeOf({ sizes }: ModelFamily, size: string): boolean {
  if (size === 'auto' || STANDARD_SIZES.includes(size)) return true;
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(size) ?? []).map(Number);
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  const pixels = width * height;
  return (
    sizes === 'free' &&
    shorter > 0 &&
    width % 16 === 0 &&
    height % 16 === 0 &&
    longer <= MAX_EDGE_PX &&
    longer <= 3 * shorter &&
    pixels >= MIN_PIXELS &&
    pixels <= MAX_PIXELS
  );
}

/** Returns the size for `auto`: the standard size nearest in shape to the edited image. */
export function automaticSize(source?: { readonly width: number; readonly height: number }) {
  const ratio = source ? source.width / source.height : 1;
  if (ratio > 1.2) return '1536x1024';
  return ratio < 1 / 1.2 ? '1024x1536' : '1024x1024';
}
