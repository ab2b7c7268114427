import type { Config } from '../../config/settings/settings.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { INPUT_LIMITS } from '../backend/input-limits.ts';

/** Of the mapping: it rises when the same request is sent in another form. */
export const IMPLEMENTATION_VERSION = '1.0.0';

type Settings = Config['providers']['comfyui'][string];

const NONE = {
  support: 'unsupported',
  max_count: 0,
  max_bytes_each: 0,
  max_bytes_total: 0,
} as const;

/** What a workflow can do: what is bound is offered (more-providers.md 5). */
export function capabilitiesOf(
  provider: string,
  model: string,
  workflow: Settings['workflows'][string],
  { max_outputs: maxOutputs, max_parallel_outputs: parallel }: Settings,
): CapabilityDocument {
  const { edge_multiple, max_edge, images = [] } = workflow;
  const hasSize = workflow.width !== undefined && workflow.height !== undefined;
  const takesImages = images.length > 0;
  return {
    provider,
    model,
    implementation_version: IMPLEMENTATION_VERSION,
    experimental: false,
    // Without a source, a bound input would keep the image that the workflow was exported with.
    generation: !takesImages,
    edits: takesImages,
    count: { min: 1, max: maxOutputs },
    batching: {
      mode: 'fan_out',
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: parallel === 'auto' ? maxOutputs : parallel,
    },
    sizes: hasSize
      ? {
          auto: true,
          allowed: [],
          arbitrary: true,
          min_edge: edge_multiple,
          max_edge,
          edge_multiple,
        }
      : { auto: true, allowed: [], arbitrary: false },
    aspect_ratio: hasSize ? 'native' : 'unsupported',
    resolution: hasSize ? 'native' : 'unsupported',
    negative_prompt: workflow.negative_prompt === undefined ? 'emulated' : 'native',
    revised_prompt: 'unsupported',
    transparent_background: 'emulated',
    user_attribution: 'unsupported',
    qualities: ['auto'],
    output_formats: ['png'],
    backgrounds: ['auto', 'opaque'],
    moderation: ['auto'],
    actions: ['auto'],
    input_fidelities: [],
    reference_images: images.length > 1 ? { ...INPUT_LIMITS, max_count: images.length - 1 } : NONE,
    edit_images: takesImages ? { ...INPUT_LIMITS, max_count: images.length } : NONE,
    masks:
      takesImages && workflow.mask !== undefined
        ? { ...INPUT_LIMITS, support: 'emulated', max_count: 1 }
        : NONE,
    partial_images: { min: 0, max: 0 },
    persistent_sessions: false,
    explicit_threads: false,
    source_transport: 'multipart',
  };
}
