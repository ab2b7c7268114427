import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { INPUT_LIMITS } from '../backend/input-limits.ts';

/** Of the mapping: it rises when the same request is sent in another form. */
export const IMPLEMENTATION_VERSION = '1.0.0';

export const MODEL = 'gpt-image-2';

interface Limits {
  /** The registered name. */
  readonly provider: string;
  /** `providers.agent_app_server.max_outputs`. */
  readonly maxOutputs: number;
  /** Simultaneous turns of the whole provider. */
  readonly maxParallelOutputs: number;
}

/** What the agent's image tool can do: it takes a prompt and images, and chooses all else itself. */
export function capabilitiesOf({
  provider,
  maxOutputs,
  maxParallelOutputs,
}: Limits): CapabilityDocument {
  return {
    provider,
    model: MODEL,
    implementation_version: IMPLEMENTATION_VERSION,
    experimental: false,
    generation: true,
    edits: true,
    count: { min: 1, max: maxOutputs },
    batching: {
      mode: 'fan_out',
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: maxParallelOutputs,
    },
    sizes: { auto: true, allowed: [], arbitrary: false },
    aspect_ratio: 'unsupported',
    resolution: 'unsupported',
    negative_prompt: 'emulated',
    revised_prompt: 'native',
    transparent_background: 'emulated',
    user_attribution: 'unsupported',
    qualities: ['auto'],
    output_formats: ['png'],
    backgrounds: ['auto', 'opaque'],
    moderation: ['auto'],
    actions: ['auto'],
    input_fidelities: [],
    reference_images: INPUT_LIMITS,
    edit_images: INPUT_LIMITS,
    masks: { support: 'unsupported', max_count: 0, max_bytes_each: 0, max_bytes_total: 0 },
    partial_images: { min: 0, max: 0 },
    persistent_sessions: true,
    explicit_threads: true,
    // What specification 2.4 says of both remote providers: an image is an item of the current turn.
    source_transport: 'conversation_attachment',
  };
}
