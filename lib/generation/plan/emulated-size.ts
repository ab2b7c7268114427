import { type Parameters, parseAspectRatio } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { listedSizes, pixels } from './nearest-size.ts';

const RESOLUTION_EDGE = { '1k': 1024, '2k': 2048, '4k': 4096 } as const;

export interface EmulatedSize {
  readonly size: string;
  /** It has the ratio that was asked for, if one was. */
  readonly hasRatio: boolean;
}

/**
 * The listed size that stands for a ratio, a resolution or both (providers.md): of those with exactly the ratio, or else of
 * all, the one nearest in pixels to 1024² or the resolution's square; between equals the smaller. Undefined when no size is
 * listed.
 */
export function emulatedSize(
  sizes: Pick<CapabilityDocument['sizes'], 'allowed'>,
  aspectRatio: string | null,
  resolution: Parameters['resolution'],
): EmulatedSize | undefined {
  const ratio = aspectRatio === null ? undefined : parseAspectRatio(aspectRatio);
  const target = RESOLUTION_EDGE[resolution ?? '1k'] ** 2;
  const listed = listedSizes(sizes);
  const withRatio = listed.filter(
    ({ edges }) => !ratio || edges.width * ratio.height === edges.height * ratio.width,
  );
  const hasRatio = withRatio.length > 0;
  const [best] = (hasRatio ? withRatio : listed).sort(
    (a, b) =>
      Math.abs(pixels(a.edges) - target) - Math.abs(pixels(b.edges) - target) ||
      pixels(a.edges) - pixels(b.edges),
  );
  return best && { size: best.size, hasRatio };
}
