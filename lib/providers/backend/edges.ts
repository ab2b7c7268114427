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
