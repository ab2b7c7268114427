import type { Config } from '../../config/settings/settings.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { oneOutputPerCall, PLAIN_MODEL } from '../backend/plain-model.ts';
import { INPUT_LIMITS, NO_IMAGES } from '../backend/sent-images.ts';

type Settings = Config['providers']['comfyui'][string];

/**
 * Returns the capabilities of a workflow. A workflow supports a feature if its settings bind the node input for the
 * feature.
 */
export function capabilitiesOf(
  provider: string,
  model: string,
  workflow: Settings['workflows'][string],
  settings: Settings,
): CapabilityDocument {
  const { edge_multiple, max_edge, images = [] } = workflow;
  const hasSize = workflow.width !== undefined && workflow.height !== undefined;
  const takesImages = images.length > 0;
  return {
    ...PLAIN_MODEL,
    ...oneOutputPerCall(settings),
    provider,
    model,
    // Without a source, a bound input would keep the image that the exported workflow contains.
    generation: !takesImages,
    edits: takesImages,
    sizes: {
      auto: true,
      allowed: [],
      arbitrary: hasSize,
      ...(hasSize ? { min_edge: edge_multiple, max_edge, edge_multiple } : {}),
    },
    aspect_ratio: hasSize ? 'native' : 'unsupported',
    resolution: hasSize ? 'native' : 'unsupported',
    negative_prompt: workflow.negative_prompt === undefined ? 'emulated' : 'native',
    reference_images:
      images.length > 1 ? { ...INPUT_LIMITS, max_count: images.length - 1 } : NO_IMAGES,
    edit_images: takesImages ? { ...INPUT_LIMITS, max_count: images.length } : NO_IMAGES,
    masks:
      takesImages && workflow.mask !== undefined
        ? { ...INPUT_LIMITS, support: 'emulated', max_count: 1 }
        : NO_IMAGES,
    source_transport: 'multipart',
  };
}
