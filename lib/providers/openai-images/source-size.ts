import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { uprightEdges } from '../../images/image.ts';
import { fittedEdges } from '../backend/edges.ts';
import type { ProviderRequest } from '../provider-port.ts';

type Sizes = CapabilityDocument['sizes'];

/**
 * Returns the call with the size of its first source, or the nearest size that the model takes, if it leaves the size open.
 * Some servers draw 512x512 otherwise, and stretch the source to it.
 */
export function withSourceSize(request: ProviderRequest, sizes: Sizes): ProviderRequest {
  const [source] = request.images;
  if (request.parameters.size !== 'auto' || !source) return request;
  const { edge_multiple = 1, min_edge = 1, max_edge = 16_384 } = sizes;
  const bounds = { edge_multiple, min_edge, max_edge };
  const { width, height } = fittedEdges(uprightEdges(source), bounds);
  return { ...request, parameters: { ...request.parameters, size: `${width}x${height}` } };
}
