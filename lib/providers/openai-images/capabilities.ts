import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { NO_IMAGES } from '../backend/input-limits.ts';
import { familyNames } from '../backend/model-profiles.ts';
import { PLAIN_MODEL } from '../backend/plain-model.ts';
import { batchingMode } from '../batching-mode.ts';
import { DIALECTS, type Dialect, type ImagesSettings } from './dialects.ts';
import { type Family, familyOf } from './families.ts';

/** Of the mapping: it rises when the same request is sent in another form. */
export const IMPLEMENTATION_VERSION = '1.0.0';

/** Of sources and references together (OpenAI's reference of image edits, 2026-11). */
export const INPUT_LIMITS = {
  max_count: 16,
  max_bytes_each: 50_000_000,
  max_bytes_total: 800_000_000,
} as const;

// The reference says less than 4 MB, the guide less than 50 MB.
const MAX_MASK_BYTES = 3_999_999;

interface Limits {
  /** The registered name. */
  readonly provider: string;
  readonly settings: ImagesSettings;
}

/** What `model` can do, under the operator's limits and with what the operator says of it. */
export function capabilitiesOf(model: string, { provider, settings }: Limits): CapabilityDocument {
  const dialect = DIALECTS[settings.dialect];
  const profile = settings.model_profiles[model];
  const family = familyOf(familyNames(model, settings), dialect.models);
  const own = typeof profile === 'object' ? profile : {};
  const { max_outputs: maxOutputs, max_parallel_outputs: parallel, native_count } = settings;
  const perCall = Math.min(native_count, maxOutputs);
  const atOnce = dialect.oneAtATime ? 1 : maxOutputs;
  const document = {
    ...PLAIN_MODEL,
    provider,
    model,
    implementation_version: IMPLEMENTATION_VERSION,
    generation: true,
    count: { min: 1, max: maxOutputs },
    batching: {
      mode: batchingMode(maxOutputs, perCall),
      native_count: { min: 1, max: perCall },
      max_parallel_outputs: parallel === 'auto' ? atOnce : parallel,
    },
    ...imageMembers(own.edits ?? dialect.edits !== 'profile', dialect),
    ...parameterMembers(dialect, family),
    partial_images: { min: 0, max: takesPartials(dialect, settings) ? 3 : 0 },
    source_transport: 'multipart',
    ...own,
  };
  return v.parse(CapabilityDocument, document);
}

/** What it can do with images that it is given. */
function imageMembers(edits: boolean, { maxSources = INPUT_LIMITS.max_count }: Dialect) {
  const native = { support: 'native', ...INPUT_LIMITS } as const;
  return {
    edits,
    reference_images: edits ? native : NO_IMAGES,
    edit_images: edits ? { ...native, max_count: maxSources } : NO_IMAGES,
    // Models take a mask as a hint: the bridge sees to it that the rest stays as it was.
    masks: edits
      ? ({
          support: 'emulated',
          max_count: 1,
          max_bytes_each: MAX_MASK_BYTES,
          max_bytes_total: MAX_MASK_BYTES,
        } as const)
      : NO_IMAGES,
    actions: edits ? ['auto', 'generate', 'edit'] : ['auto', 'generate'],
  } satisfies Partial<CapabilityDocument>;
}

function parameterMembers(dialect: Dialect, family: Family) {
  const sends = (field: Dialect['fields'][number]) => dialect.fields.includes(field);
  const hasAlpha = sends('background') && family.hasNativeAlpha;
  const hasNegative = sends('negative_prompt') || dialect.prompt !== undefined;
  return {
    sizes: family.sizes,
    aspect_ratio: 'emulated',
    resolution: 'emulated',
    negative_prompt: hasNegative ? 'native' : 'emulated',
    revised_prompt: dialect.revisesPrompts ? 'native' : 'unsupported',
    transparent_background: hasAlpha ? 'native' : 'emulated',
    qualities: sends('quality') ? [...family.qualities] : ['auto'],
    output_formats: [...dialect.formats],
    backgrounds: !sends('background')
      ? ['auto']
      : hasAlpha
        ? ['auto', 'opaque', 'transparent']
        : ['auto', 'opaque'],
    moderation: sends('moderation') ? ['auto', 'low'] : ['auto'],
    input_fidelities: sends('input_fidelity') ? [...family.fidelities] : [],
  } satisfies Partial<CapabilityDocument>;
}

/** Events do not say which of several outputs they are of. */
function takesPartials(dialect: Dialect, { native_count, stream }: ImagesSettings): boolean {
  return dialect.fields.includes('partial_images') && native_count === 1 && stream !== 'never';
}
