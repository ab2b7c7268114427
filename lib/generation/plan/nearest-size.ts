import { type Parameters, parseAspectRatio, parseSize } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { Edges } from '../../images/image.ts';

type Sizes = CapabilityDocument['sizes'];

interface ListedSize {
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

/**
 * Returns the distance between two aspect ratios: the absolute logarithm of their quotient, in units of 1e-12. 2:3 and 3:2 are
 * equally far from 1:1.
 */
export function ratioGap(one: Edges, other: Edges): number {
  const gap = Math.abs(Math.log((one.width * other.height) / (one.height * other.width)));
  // The result is rounded so that floating-point noise does not decide between equal ratios. The distance between two different
  // ratios is larger than the rounding error.
  return Math.round(gap * 1e12);
}

/** Returns true if the model supports exactly this size. */
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

/**
 * Returns the nearest size that the model supports, or undefined if the size scaled into the range of the model is not supported
 * and the model lists no sizes.
 */
export function nearestSize(sizes: Sizes, asked: Edges): string | undefined {
  const { width, height } = toRange(sizes, asked);
  const inRange = `${width}x${height}`;
  return isSupported(sizes, inRange) ? inRange : nearestListed(sizes, asked);
}

/**
 * Returns the listed size with the nearest aspect ratio. Among sizes with equally near ratios, returns the size with the nearest
 * pixel count. Returns undefined if no size is listed.
 */
export function nearestListed(sizes: Sizes, asked: Edges): string | undefined {
  const pixelGap = ({ edges }: ListedSize) => Math.abs(pixels(edges) - pixels(asked));
  const [best] = listedSizes(sizes).sort(
    (a, b) => ratioGap(a.edges, asked) - ratioGap(b.edges, asked) || pixelGap(a) - pixelGap(b),
  );
  return best?.size;
}

/** Scales a size so that both edges are within the allowed range. Keeps the aspect ratio as far as the range allows. */
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

const RESOLUTION_EDGE = { '1k': 1024, '2k': 2048, '4k': 4096 } as const;

/** Returns the resolution whose number of pixels is nearest, or undefined if no resolution is listed. */
export function nearestResolution(
  asked: Edges,
  listed: readonly NonNullable<Parameters['resolution']>[],
): Parameters['resolution'] | undefined {
  const gap = (name: NonNullable<Parameters['resolution']>) =>
    Math.abs(Math.log(RESOLUTION_EDGE[name] ** 2 / pixels(asked)));
  return [...listed].sort((a, b) => gap(a) - gap(b))[0];
}

interface EmulatedSize {
  readonly size: string;
  /** True if the size has the requested ratio, or if no ratio was requested. */
  readonly hasRatio: boolean;
}

/**
 * Returns the listed size for an aspect ratio, a resolution or both. Among the sizes with the nearest ratio, chooses the size
 * whose pixel count is nearest to the square of the resolution's edge (1024² if no resolution is given). If two sizes are equally
 * near, chooses the smaller size. Returns undefined if no size is listed.
 */
export function emulatedSize(
  sizes: Pick<CapabilityDocument['sizes'], 'allowed'>,
  aspectRatio: string | null,
  resolution: Parameters['resolution'],
): EmulatedSize | undefined {
  const ratio = aspectRatio === null ? undefined : parseAspectRatio(aspectRatio);
  const target = RESOLUTION_EDGE[resolution ?? '1k'] ** 2;
  const gap = (edges: Edges) => (ratio ? ratioGap(edges, ratio) : 0);
  const [best] = listedSizes(sizes).sort(
    (a, b) =>
      gap(a.edges) - gap(b.edges) ||
      Math.abs(pixels(a.edges) - target) - Math.abs(pixels(b.edges) - target) ||
      pixels(a.edges) - pixels(b.edges),
  );
  return best && { size: best.size, hasRatio: gap(best.edges) === 0 };
}
