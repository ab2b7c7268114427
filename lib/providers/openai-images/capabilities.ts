import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { batchingMode, familyNames, PLAIN_MODEL } from '../backend/plain-model.ts';
import { NO_IMAGES } from '../backend/sent-images.ts';
import { DIALECTS, type Dialect, type ImagesSettings } from './dialects.ts';

/** Limits on sources and references together (OpenAI's reference of image edits, 2026-11). */
export const INPUT_LIMITS = {
  max_count: 16,
  max_bytes_each: 50_000_000,
  max_bytes_total: 800_000_000,
} as const;

// OpenAI's reference says less than 4 MB; the guide says less than 50 MB.
const MAX_MASK_BYTES = 3_999_999;

// Models treat a mask as a hint. The bridge restores the pixels outside the mask.
const MASKS = {
  support: 'emulated',
  max_count: 1,
  max_bytes_each: MAX_MASK_BYTES,
  max_bytes_total: MAX_MASK_BYTES,
} as const;

/** The settings on which the capabilities of a model depend. */
type CapabilitySettings = Pick<
  ImagesSettings,
  | 'dialect'
  | 'image_model'
  | 'model_profiles'
  | 'native_count'
  | 'stream'
  | 'max_outputs'
  | 'max_parallel_outputs'
>;

/**
 * Returns the capabilities of `model`, limited by the settings and overridden by the model's profile in the settings.
 */
export function capabilitiesOf(
  provider: string,
  model: string,
  settings: CapabilitySettings,
): CapabilityDocument {
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

/** Returns the capabilities that concern input images. */
function imageMembers(edits: boolean, { maxSources = INPUT_LIMITS.max_count }: Dialect) {
  const native = { support: 'native', ...INPUT_LIMITS } as const;
  return {
    edits,
    reference_images: edits ? native : NO_IMAGES,
    edit_images: edits ? { ...native, max_count: maxSources } : NO_IMAGES,
    masks: edits ? MASKS : NO_IMAGES,
    actions: edits ? ['auto', 'generate', 'edit'] : ['auto', 'generate'],
  } satisfies Partial<CapabilityDocument>;
}

function parameterMembers(dialect: Dialect, family: Family) {
  const sends = (field: Dialect['fields'][number]) => dialect.fields.includes(field);
  const hasAlpha = sends('background') && family.hasNativeAlpha;
  const hasNegative = sends('negative_prompt') || dialect.prompt !== undefined;
  return {
    sizes: family.sizes,
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

/**
 * Returns true if partial images are supported. Events do not identify their output, so a call must have a single
 * output.
 */
function takesPartials(dialect: Dialect, { native_count, stream }: CapabilitySettings): boolean {
  return dialect.fields.includes('partial_images') && native_count === 1 && stream !== 'never';
}

type Sizes = CapabilityDocument['sizes'];
type Quality = CapabilityDocument['qualities'][number];

/** The properties in which model families differ (OpenAI's image guide, 2026-11). */
interface Family {
  readonly sizes: Sizes;
  /** Selectable qualities. Empty if the quality cannot be chosen. */
  readonly qualities: readonly Quality[];
  readonly hasNativeAlpha: boolean;
  readonly fidelities: readonly ('low' | 'high')[];
}

const STANDARD_SIZES = ['1024x1024', '1536x1024', '1024x1536'];

const STANDARD: Sizes = { auto: true, allowed: STANDARD_SIZES, arbitrary: false };

/** Any size within the bounds. Aspect ratios and resolutions are mapped to the listed sizes. */
const FREE: Sizes = {
  auto: true,
  allowed: [
    ...STANDARD_SIZES,
    '1280x720',
    '720x1280',
    '1152x864',
    '864x1152',
    '2048x2048',
    '2048x1152',
    '1152x2048',
    '2880x2880',
    '3840x2160',
    '2160x3840',
  ],
  arbitrary: true,
  // The shorter edge of an image with the minimum of pixels and the maximum aspect ratio.
  min_edge: 480,
  max_edge: 3840,
  edge_multiple: 16,
  min_pixels: 655_360,
  max_pixels: 8_294_400,
  max_aspect_ratio: 3,
};

/** Diffusion models support any size in steps of their latent space. The best size depends on the model. */
const LOCAL_SIZES: Sizes = {
  auto: true,
  allowed: ['1024x1024', '1152x768', '768x1152', '1280x720', '720x1280', '512x512'],
  arbitrary: true,
  min_edge: 256,
  max_edge: 2048,
  edge_multiple: 16,
};

const THREE: readonly Quality[] = ['auto', 'low', 'medium', 'high'];
const FIVE: readonly Quality[] = [...THREE, 'xhigh', 'max'];

const GPT_IMAGE_2: Family = {
  sizes: FREE,
  qualities: THREE,
  hasNativeAlpha: false,
  fidelities: [],
};
const LATER: Family = { ...GPT_IMAGE_2, qualities: FIVE, hasNativeAlpha: true };
const GPT_IMAGE_1_5: Family = {
  sizes: STANDARD,
  qualities: THREE,
  hasNativeAlpha: true,
  fidelities: ['low', 'high'],
};

/** The families that a model's profile in the settings can name. */
type FamilyName = Extract<ImagesSettings['model_profiles'][string], string>;

const FAMILIES = {
  'gpt-image-2': GPT_IMAGE_2,
  'gpt-image-2.5-sunburst': LATER,
  'gpt-image-2.5-flare': LATER,
  'gpt-image-2.6-sunburst': LATER,
  'gpt-image-2.6-flare': LATER,
  'gpt-image-1.5': GPT_IMAGE_1_5,
  'chatgpt-image-latest': GPT_IMAGE_1_5,
  'gpt-image-1-mini': { ...GPT_IMAGE_1_5, fidelities: ['low'] },
} satisfies Record<FamilyName, Family>;
const BY_NAME = new Map<string, Family>(Object.entries(FAMILIES));

const LOCAL: Family = {
  sizes: LOCAL_SIZES,
  qualities: ['auto'],
  hasNativeAlpha: false,
  fidelities: [],
};

// A model whose name ends with a date belongs to the family of the name without the date.
const SNAPSHOT_DATE = /-\d{4}-\d{2}-\d{2}$/;

/** Returns the first family that one of these names has, by default `gpt-image-2` or the family of local models. */
function familyOf(names: readonly string[], models: 'openai' | 'local'): Family {
  const known = names.flatMap((name) => BY_NAME.get(name.replace(SNAPSHOT_DATE, '')) ?? []);
  return known[0] ?? (models === 'openai' ? GPT_IMAGE_2 : LOCAL);
}
