import { type Parameters, parseAspectRatio } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { type Edges, listedSizes, pixels, ratioGap } from './nearest-size.ts';

const RESOLUTION_EDGE = { '1k': 1024, '2k': 2048, '4k': 4096 } as const;

export interface EmulatedSize {
  readonly size: string;
  /** It has the ratio that was asked for, if one was. */
  readonly hasRatio: boolean;
}

/**
 * The listed size for a ratio, a resolution or both (providers.md): of the sizes nearest in ratio, the one nearest in
 * pixels to 1024² or to the resolution's square; between equals the smaller. Undefined when no size is listed.
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
