import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { batchingMode } from '../backend/plain-model.ts';
import { INPUT_LIMITS, NO_IMAGES } from '../backend/sent-images.ts';

/** Version of the mapping. It increases when the same request is sent in another form. */
export const IMPLEMENTATION_VERSION = '1.0.0';

const SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const LARGE_SIZES = [...SIZES, '2048x2048', '2048x1152', '3840x2160', '2160x3840'];

/**
 * The properties in which model families differ. An operator's own model is assumed to belong to the family of the
 * default model.
 */
interface Family {
  readonly sizes: readonly string[];
  readonly hasNativeAlpha: boolean;
  readonly fidelities: readonly ('low' | 'high')[];
}

const DEFAULT_FAMILY: Family = { sizes: LARGE_SIZES, hasNativeAlpha: false, fidelities: [] };
const ALPHA: Family = { sizes: SIZES, hasNativeAlpha: true, fidelities: ['low', 'high'] };

const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ['gpt-image-2', DEFAULT_FAMILY],
  ['gpt-image-1.5', { ...ALPHA, sizes: LARGE_SIZES }],
  ['gpt-image-1', ALPHA],
  ['gpt-image-1-mini', ALPHA],
]);

// A dated snapshot belongs to the family of the name before the date.
const SNAPSHOT_DATE = /-\d{4}-\d{2}-\d{2}$/;

interface Limits {
  /** The registered name of the provider. */
  readonly provider: string;
  /** The setting `providers.agent_responses.max_outputs`. */
  readonly maxOutputs: number;
  /** Maximum number of parallel calls of the whole provider. */
  readonly maxParallelOutputs: number;
  readonly defaultModel: string;
}

/** Returns the capabilities of `model`, limited by the settings. */
export function capabilitiesOf(model: string, limits: Limits): CapabilityDocument {
  const family = familyOf(model) ?? familyOf(limits.defaultModel) ?? DEFAULT_FAMILY;
  return {
    provider: limits.provider,
    model,
    implementation_version: IMPLEMENTATION_VERSION,
    experimental: false,
    generation: true,
    edits: true,
    count: { min: 1, max: limits.maxOutputs },
    batching: {
      mode: batchingMode(limits.maxOutputs, 1),
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: limits.maxParallelOutputs,
    },
    sizes: { auto: true, allowed: [...family.sizes], arbitrary: false },
    aspect_ratio: 'emulated',
    resolution: 'emulated',
    negative_prompt: 'emulated',
    revised_prompt: 'native',
    transparent_background: family.hasNativeAlpha ? 'native' : 'emulated',
    user_attribution: 'unsupported',
    qualities: ['auto', 'low', 'medium', 'high'],
    output_formats: ['png', 'jpeg', 'webp'],
    backgrounds: family.hasNativeAlpha ? ['auto', 'opaque', 'transparent'] : ['auto', 'opaque'],
    moderation: ['auto', 'low'],
    actions: ['auto', 'generate', 'edit'],
    input_fidelities: [...family.fidelities],
    reference_images: INPUT_LIMITS,
    edit_images: INPUT_LIMITS,
    masks: NO_IMAGES,
    partial_images: { min: 0, max: 3 },
    persistent_sessions: false,
    explicit_threads: false,
    source_transport: 'conversation_attachment',
  };
}

function familyOf(model: string): Family | undefined {
  return FAMILIES.get(model.replace(SNAPSHOT_DATE, ''));
}
