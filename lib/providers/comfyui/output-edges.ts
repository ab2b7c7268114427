import { type Parameters, parseAspectRatio, parseSize } from '../../contract/request/parameters.ts';
import type { CallFacts } from '../provider-port.ts';

interface Edges {
  readonly width: number;
  readonly height: number;
}

interface Bounds {
  /** Every edge is a multiple of it. */
  readonly edge_multiple: number;
  readonly max_edge: number;
}

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
  bounds: Bounds,
): Edges | undefined {
  const { size, aspect_ratio: ratio, resolution } = parameters;
  const named = parseSize(size);
  if (named) return named;
  if (ratio === null && resolution === null) return undefined;
  const shape = (ratio === null ? uprightEdges(images[0]) : parseAspectRatio(ratio)) ?? SQUARE;
  const edge = RESOLUTION_EDGE[resolution ?? '1k'];
  const stretch = Math.sqrt(shape.width / shape.height);
  return fitted({ width: edge * stretch, height: edge / stretch }, bounds);
}

const SQUARE: Edges = { width: 1, height: 1 };

/** EXIF orientations from 5 on turn the image by a quarter. */
function uprightEdges(image: CallFacts['images'][number] | undefined): Edges | undefined {
  if (!image) return undefined;
  const { width, height, orientation } = image;
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

function fitted(
  { width, height }: Edges,
  { edge_multiple: multiple, max_edge: max }: Bounds,
): Edges {
  const shrink = Math.min(1, max / Math.max(width, height));
  const toEdge = (edge: number) =>
    Math.max(
      multiple,
      Math.min(Math.round(edge / multiple), Math.floor(max / multiple)) * multiple,
    );
  return { width: toEdge(width * shrink), height: toEdge(height * shrink) };
}
