import { parseSize } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';

type Sizes = CapabilityDocument['sizes'];

export interface Edges {
  readonly width: number;
  readonly height: number;
}

export interface ListedSize {
  readonly size: string;
  readonly edges: Edges;
}

export function listedSizes({ allowed }: Pick<Sizes, 'allowed'>): ListedSize[] {
  return allowed.flatMap((size) => {
    const edges = parseSize(size);
    return edges ? [{ size, edges }] : [];
  });
}

export function pixels({ width, height }: Edges): number {
  return width * height;
}

/** How far two aspect ratios are apart: |log|, 0 for equal ones, the same for 2:3 and 3:2 as seen from 1:1. */
export function ratioGap(one: Edges, other: Edges): number {
  const gap = Math.abs(Math.log((one.width * other.height) / (one.height * other.width)));
  // Rounded: floating-point noise must not decide between equals. No two sizes differ by less.
  return Math.round(gap * 1e12);
}

/** Whether the model supports exactly this size. */
export function isSupported(sizes: Sizes, size: string): boolean {
  if (sizes.allowed.includes(size)) return true;
  const edges = parseSize(size);
  if (!edges || !sizes.arbitrary) return false;
  const { min_edge = 1, max_edge = Infinity, edge_multiple = 1 } = sizes;
  const { min_pixels = 1, max_pixels = Infinity, max_aspect_ratio = Infinity } = sizes;
  const shorter = Math.min(edges.width, edges.height);
  const longer = Math.max(edges.width, edges.height);
  return (
    shorter >= min_edge &&
    longer <= max_edge &&
    edges.width % edge_multiple === 0 &&
    edges.height % edge_multiple === 0 &&
    pixels(edges) >= min_pixels &&
    pixels(edges) <= max_pixels &&
    longer / shorter <= max_aspect_ratio
  );
}

/** The nearest size that the model supports; undefined when it lists none and none lies in its range. */
export function nearestSize(sizes: Sizes, asked: Edges): string | undefined {
  const { width, height } = toRange(sizes, asked);
  const inRange = `${width}x${height}`;
  return isSupported(sizes, inRange) ? inRange : nearestListed(sizes, asked);
}

/** The listed size of the nearest shape; of several, the one nearest in pixels. */
export function nearestListed(sizes: Sizes, asked: Edges): string | undefined {
  const pixelGap = ({ edges }: ListedSize) => Math.abs(pixels(edges) - pixels(asked));
  const [best] = listedSizes(sizes).sort(
    (a, b) => ratioGap(a.edges, asked) - ratioGap(b.edges, asked) || pixelGap(a) - pixelGap(b),
  );
  return best?.size;
}

/** Into the range of the edges, the shape kept as far as the range allows. */
function toRange(
  { min_edge = 1, max_edge = Infinity, edge_multiple = 1 }: Sizes,
  asked: Edges,
): Edges {
  const shrink = Math.min(1, max_edge / Math.max(asked.width, asked.height));
  const grow = Math.max(1, min_edge / Math.min(asked.width, asked.height));
  const toEdge = (edge: number) => {
    const scaled = edge * (shrink < 1 ? shrink : grow);
    const stepped = Math.round(scaled / edge_multiple) * edge_multiple;
    return Math.min(max_edge, Math.max(min_edge, stepped));
  };
  return { width: toEdge(asked.width), height: toEdge(asked.height) };
}
