import { type Parameters, parseAspectRatio, parseSize } from '../../contract/request/parameters.ts';
import type { Edges } from '../../images/image.ts';
import { MAX_EDGE, MIN_EDGE } from './capabilities.ts';

type SizeParameters = Pick<Parameters, 'size' | 'aspect_ratio' | 'resolution'>;

const DEFAULT_EDGE = 1024;
const RESOLUTION_EDGE = { '1k': 1024, '2k': 2048, '4k': 4096 } as const;
/** With fewer steps, the exact ratio would miss the number of pixels by too much. */
const FEWEST_EXACT_STEPS = 8;

/**
 * Returns the dimensions of the image to draw: the named size, else dimensions from the ratio or the resolution, else
 * the size of the upright `source`, else 1024×1024. A source is reduced to an edge of 1024 to draw fewer pixels, but a
 * masked edit keeps every pixel of the source that this provider can draw.
 */
export function outputSize(
  parameters: SizeParameters,
  source: Edges | undefined,
  isMasked = false,
): Edges {
  const named = parseSize(parameters.size);
  if (named) return named;
  const longest = isMasked ? MAX_EDGE : DEFAULT_EDGE;
  const kept = source ? keptSize(source, longest) : { width: DEFAULT_EDGE, height: DEFAULT_EDGE };
  const { aspect_ratio: ratio, resolution } = parameters;
  if (ratio === null && resolution === null) return kept;
  const shape = (ratio === null ? undefined : parseAspectRatio(ratio)) ?? source ?? kept;
  const pixels = resolution === null ? kept.width * kept.height : RESOLUTION_EDGE[resolution] ** 2;
  return shaped(shape, pixels);
}

function keptSize(source: Edges, longest: number): Edges {
  const scale = Math.min(1, longest / Math.max(source.width, source.height));
  return { width: toEdge(source.width * scale), height: toEdge(source.height * scale) };
}

/**
 * Returns dimensions with the ratio of `shape` and about `pixels` pixels. The ratio is exact if its terms are small
 * enough.
 */
function shaped(shape: Edges, pixels: number): Edges {
  const divisor = greatestDivisor(shape.width, shape.height);
  const width = shape.width / divisor;
  const height = shape.height / divisor;
  const most = MAX_EDGE / Math.max(width, height);
  const scale = Math.min(Math.sqrt(pixels / (width * height)), most);
  const steps = Math.min(Math.round(scale), Math.floor(most));
  const isExact = steps >= FEWEST_EXACT_STEPS && steps * Math.min(width, height) >= MIN_EDGE;
  const factor = isExact ? steps : scale;
  return { width: toEdge(width * factor), height: toEdge(height * factor) };
}

function toEdge(length: number): number {
  return Math.min(Math.max(Math.round(length), MIN_EDGE), MAX_EDGE);
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
