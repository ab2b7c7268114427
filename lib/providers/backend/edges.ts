import { parseAspectRatio } from '../../contract/request/parameters.ts';
import type { Edges } from '../../images/image.ts';

interface Bounds {
  /** Every edge is a multiple of this number. */
  readonly edge_multiple: number;
  readonly min_edge?: number;
  readonly max_edge: number;
}

/**
 * Returns the nearest dimensions in pixels within the bounds. If an edge is too long, both edges are scaled by the same
 * factor to keep the aspect ratio.
 */
export function fittedEdges(
  { width, height }: Edges,
  { edge_multiple: multiple, min_edge: min = multiple, max_edge: max }: Bounds,
): Edges {
  const shrink = Math.min(1, max / Math.max(width, height));
  const least = Math.ceil(min / multiple);
  const most = Math.floor(max / multiple);
  const toEdge = (edge: number) =>
    Math.max(multiple, Math.max(least, Math.min(Math.round(edge / multiple), most)) * multiple);
  return { width: toEdge(width * shrink), height: toEdge(height * shrink) };
}

/** Returns the listed ratio with the same value as `ratio`, such as `16:9` for `32:18`, or undefined if no such ratio is listed. */
export function equalRatio(ratio: string, listed: readonly string[] = []): string | undefined {
  const quotient = quotientOf(ratio);
  return listed.find((one) => quotientOf(one) === quotient);
}

function quotientOf(ratio: string): number | undefined {
  const edges = parseAspectRatio(ratio);
  return edges && edges.width / edges.height;
}
