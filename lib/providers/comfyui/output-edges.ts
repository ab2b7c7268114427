import { type Parameters, parseAspectRatio, parseSize } from '../../contract/request/parameters.ts';
import { uprightEdges } from '../../images/image.ts';
import { type Edges, fittedEdges } from '../backend/edges.ts';
import type { CallFacts } from '../provider-port.ts';

const RESOLUTION_EDGE: Readonly<Record<NonNullable<Parameters['resolution']>, number>> = {
  '1k': 1024,
  '2k': 2048,
  '4k': 4096,
};

/**
 * The edges to ask for: the named size, or those with the ratio and the number of pixels of the hints. A hint that is left
 * out is that of the first source, or 1:1, and `1k`. Undefined where the size is left to the workflow.
 */
export function outputEdges(
  { parameters, images }: Pick<CallFacts, 'parameters' | 'images'>,
  bounds: { readonly edge_multiple: number; readonly max_edge: number },
): Edges | undefined {
  const { size, aspect_ratio: ratio, resolution } = parameters;
  const named = parseSize(size);
  if (named) return named;
  if (ratio === null && resolution === null) return undefined;
  const [source] = images;
  const ofSource = source ? uprightEdges(source) : SQUARE;
  const shape = ratio === null ? ofSource : (parseAspectRatio(ratio) ?? SQUARE);
  const edge = RESOLUTION_EDGE[resolution ?? '1k'];
  const stretch = Math.sqrt(shape.width / shape.height);
  return fittedEdges({ width: edge * stretch, height: edge / stretch }, bounds);
}

const SQUARE: Edges = { width: 1, height: 1 };
