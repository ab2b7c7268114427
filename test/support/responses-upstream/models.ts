/** The options of one image model. */
export interface ImageModel {
  readonly sizes: readonly string[];
  readonly hasTransparency: boolean;
  readonly hasInputFidelity: boolean;
}

const SQUARE_AND_THIRDS = ['1024x1024', '1536x1024', '1024x1536'];
const LARGE = ['2048x2048', '2048x1152', '3840x2160', '2160x3840'];

const IMAGE_MODELS: Readonly<Record<string, ImageModel>> = {
  'gpt-image-2': {
    sizes: [...SQUARE_AND_THIRDS, ...LARGE],
    hasTransparency: false,
    hasInputFidelity: false,
  },
  'gpt-image-1.5': {
    sizes: [...SQUARE_AND_THIRDS, ...LARGE],
    hasTransparency: true,
    hasInputFidelity: true,
  },
  'gpt-image-1': { sizes: SQUARE_AND_THIRDS, hasTransparency: true, hasInputFidelity: true },
  'gpt-image-1-mini': { sizes: SQUARE_AND_THIRDS, hasTransparency: true, hasInputFidelity: true },
};

/** The models of the emulator. Additional models equal the default. */
export function imageModels(more: readonly string[]): ReadonlyMap<string, ImageModel> {
  const { 'gpt-image-2': defaultStep, ...others } = IMAGE_MODELS;
  const own = defaultStep
    ? ['gpt-image-2', ...more].map((name) => [name, defaultStep] as const)
    : [];
  return new Map([...own, ...Object.entries(others)]);
}
