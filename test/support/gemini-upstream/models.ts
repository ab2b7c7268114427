/** The options of one model. */
export interface GeminiModel {
  readonly aspectRatios: readonly string[];
  readonly imageSizes: readonly string[];
}

/** Dimensions at 1K in pixels. */
const EDGES: Readonly<Record<string, readonly [number, number]>> = {
  '1:1': [1024, 1024],
  '1:4': [512, 2048],
  '1:8': [384, 3072],
  '2:3': [848, 1264],
  '3:2': [1264, 848],
  '3:4': [896, 1200],
  '4:1': [2048, 512],
  '4:3': [1200, 896],
  '4:5': [928, 1152],
  '5:4': [1152, 928],
  '8:1': [3072, 384],
  '9:16': [768, 1376],
  '16:9': [1376, 768],
  '21:9': [1584, 672],
};

const SCALES: Readonly<Record<string, number>> = { '1K': 1, '2K': 2, '4K': 4 };

const TEN = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

const MODELS: ReadonlyMap<string, GeminiModel> = new Map([
  ['gemini-nano-banana-2.1', { aspectRatios: Object.keys(EDGES), imageSizes: ['1K', '2K', '4K'] }],
  ['gemini-3-pro-image', { aspectRatios: TEN, imageSizes: ['1K', '2K', '4K'] }],
  ['gemini-3.1-flash-lite-image', { aspectRatios: TEN, imageSizes: ['1K'] }],
]);

/** Returns a model of the emulator by its name. */
export function findModel(name: string): GeminiModel | undefined {
  return MODELS.get(name);
}

/** Returns the dimensions of an image in pixels. */
export function edgesOf(aspectRatio: string, imageSize: string): { width: number; height: number } {
  const [width, height] = EDGES[aspectRatio] ?? [0, 0];
  const scale = SCALES[imageSize] ?? 0;
  return { width: width * scale, height: height * scale };
}

/** Returns the ratio of a model that is nearest to an image of these dimensions. */
export function nearestRatio({ aspectRatios }: GeminiModel, width: number, height: number): string {
  const gap = (ratio: string) => {
    const edges = edgesOf(ratio, '1K');
    return Math.abs(Math.log((edges.width * height) / (edges.height * width)));
  };
  return [...aspectRatios].sort((a, b) => gap(a) - gap(b))[0] ?? '1:1';
}
