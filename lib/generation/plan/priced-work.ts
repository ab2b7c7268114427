import { parseSize } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { type InputFacts, type InputSet, toList } from '../../inputs/input-source.ts';
import type { PricedWork } from '../../prices/price-list.ts';
import type { PlannedRequest } from '../generation-request.ts';
import type { NegotiatedRequest } from './negotiation.ts';
import type { Route } from './routing.ts';

/** Returns everything that the price of a request on a route depends on. */
export function toPricedWork(
  { operation }: Pick<PlannedRequest, 'operation'>,
  { provider, model, capabilities }: Route,
  { effective, mask }: Pick<NegotiatedRequest, 'effective' | 'mask'>,
  inputs: InputSet<InputFacts>,
): PricedWork {
  const size = parseSize(mask?.size ?? effective.size);
  const sent = toList(inputs);
  const nativeCount = capabilities.batching.native_count.max;
  return {
    provider: provider.name,
    model,
    operation,
    quality: effective.quality,
    resolution: effective.resolution ?? undefined,
    pixels: size && size.width * size.height,
    maxPixels: maxPixelsOf(capabilities.sizes),
    images: effective.n,
    calls: Math.ceil(effective.n / nativeCount),
    inputs: sent.length,
    inputPixels: sent.map(({ upright }) => upright && upright.width * upright.height),
  };
}

function maxPixelsOf(sizes: CapabilityDocument['sizes']): number | undefined {
  const { max_pixels, max_edge, allowed } = sizes;
  if (max_pixels !== undefined) return max_pixels;
  if (max_edge !== undefined) return max_edge * max_edge;
  const listed = allowed.flatMap((size) => parseSize(size) ?? []);
  return listed.length === 0
    ? undefined
    : Math.max(...listed.map(({ width, height }) => width * height));
}
