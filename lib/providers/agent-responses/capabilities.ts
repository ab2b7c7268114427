import type { Config } from '../../config/settings/settings.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { oneOutputPerCall, PLAIN_MODEL } from '../backend/plain-model.ts';
import { INPUT_LIMITS } from '../backend/sent-images.ts';

const SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const LARGE_SIZES = [...SIZES, '2048x2048', '2048x1152', '3840x2160', '2160x3840'];

/**
 * The properties in which model families differ. A model that is not listed here has the properties of the default
 * model.
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

// A model whose name ends with a date belongs to the family of the name without the date.
const SNAPSHOT_DATE = /-\d{4}-\d{2}-\d{2}$/;

type Settings = Pick<
  Config['providers']['agent_responses'],
  'image_model' | 'max_outputs' | 'max_parallel_outputs'
>;

/** Returns the capabilities of `model`, limited by the settings. */
export function capabilitiesOf(
  provider: string,
  model: string,
  settings: Settings,
): CapabilityDocument {
  const family = familyOf(model) ?? familyOf(settings.image_model) ?? DEFAULT_FAMILY;
  return {
    ...PLAIN_MODEL,
    ...oneOutputPerCall(settings),
    provider,
    model,
    edits: true,
    sizes: { auto: true, allowed: [...family.sizes], arbitrary: false },
    revised_prompt: 'native',
    transparent_background: family.hasNativeAlpha ? 'native' : 'emulated',
    qualities: ['auto', 'low', 'medium', 'high'],
    output_formats: ['png', 'jpeg', 'webp'],
    backgrounds: family.hasNativeAlpha ? ['auto', 'opaque', 'transparent'] : ['auto', 'opaque'],
    moderation: ['auto', 'low'],
    actions: ['auto', 'generate', 'edit'],
    input_fidelities: [...family.fidelities],
    reference_images: INPUT_LIMITS,
    edit_images: INPUT_LIMITS,
    partial_images: { min: 0, max: 3 },
    source_transport: 'conversation_attachment',
  };
}

function familyOf(model: string): Family | undefined {
  return FAMILIES.get(model.replace(SNAPSHOT_DATE, ''));
}
