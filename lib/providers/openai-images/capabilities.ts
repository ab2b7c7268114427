import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { batchingMode, familyNames, PLAIN_MODEL } from '../backend/plain-model.ts';
import { NO_IMAGES } from '../backend/sent-images.ts';
import type { Dialect, ImagesSettings } from './dialects/dialect.ts';
import { DIALECTS } from './dialects/dialects.ts';
import type { Family } from './dialects/family.ts';
import { OPENAI_FAMILIES } from './dialects/openai.ts';
import { TOGETHER_FAMILIES } from './dialects/together.ts';
import { XAI_FAMILIES } from './dialects/xai.ts';

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

/** Returns the limits on all images of one call together. */
export function inputLimits({ maxImages = INPUT_LIMITS.max_count }: Dialect) {
  return { ...INPUT_LIMITS, max_count: maxImages };
}

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
  const family = familyOf(familyNames(model, settings)) ?? dialect.defaultFamily;
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
    ...imageMembers(own.edits ?? readsImages(dialect, family), dialect, family),
    ...parameterMembers(dialect, family),
    partial_images: { min: 0, max: takesPartials(dialect, settings) ? 3 : 0 },
    source_transport: 'multipart',
    ...own,
  };
  return v.parse(CapabilityDocument, document);
}

function readsImages({ edits }: Dialect, { maxImages = 1 }: Family): boolean {
  return edits !== 'profile' && maxImages > 0;
}

/** Returns the capabilities that concern input images. */
function imageMembers(edits: boolean, dialect: Dialect, family: Family) {
  const { max_count: max } = inputLimits(dialect);
  const max_count = Math.min(max, family.maxImages || max);
  const native = { support: 'native', ...INPUT_LIMITS, max_count } as const;
  const maxSources = Math.min(max_count, dialect.maxSources ?? max_count);
  return {
    edits,
    reference_images: edits ? native : NO_IMAGES,
    edit_images: edits ? { ...native, max_count: maxSources } : NO_IMAGES,
    masks: edits && !dialect.rejectsMasks ? MASKS : NO_IMAGES,
    actions: edits ? ['auto', 'generate', 'edit'] : ['auto', 'generate'],
  } satisfies Partial<CapabilityDocument>;
}

function parameterMembers(dialect: Dialect, family: Family) {
  const sends = (field: Dialect['fields'][number]) => dialect.fields.includes(field);
  const hasAlpha = sends('background') && family.hasNativeAlpha;
  const hasNegative = sends('negative_prompt') || dialect.prompt !== undefined;
  return {
    sizes: family.sizes,
    ...shapeMembers(family),
    negative_prompt: hasNegative ? 'native' : 'emulated',
    revised_prompt: dialect.revisesPrompts ? 'native' : 'unsupported',
    transparent_background: hasAlpha ? 'native' : 'emulated',
    qualities: sends('quality') ? [...family.qualities] : ['auto'],
    output_formats: [...dialect.formats],
    backgrounds: sends('background') ? [...backgroundsOf(dialect, hasAlpha)] : ['auto'],
    moderation: sends('moderation') ? ['auto', 'low'] : ['auto'],
    input_fidelities: sends('input_fidelity') ? [...family.fidelities] : [],
    ...(sends('complexity') && family.complexities
      ? { complexities: [...family.complexities] }
      : {}),
  } satisfies Partial<CapabilityDocument>;
}

function backgroundsOf({ hasFieldsOfModel }: Dialect, hasAlpha: boolean) {
  if (hasAlpha) return ['auto', 'opaque', 'transparent'] as const;
  // A model without transparency may lack the field.
  return hasFieldsOfModel ? (['auto'] as const) : (['auto', 'opaque'] as const);
}

function shapeMembers({ aspectRatios, resolutions }: Family): Partial<CapabilityDocument> {
  return {
    ...(aspectRatios ? { aspect_ratio: 'native', aspect_ratios: [...aspectRatios] } : {}),
    ...(resolutions ? { resolution: 'native', resolutions: [...resolutions] } : {}),
  };
}

/**
 * Returns true if partial images are supported. Events do not identify their output, so a call must have a single
 * output.
 */
function takesPartials(dialect: Dialect, { native_count, stream }: CapabilitySettings): boolean {
  return dialect.fields.includes('partial_images') && native_count === 1 && stream !== 'never';
}

/** The families that a model's profile in the settings can name. */
type FamilyName = Extract<ImagesSettings['model_profiles'][string], string>;

const FAMILIES = {
  ...OPENAI_FAMILIES,
  ...XAI_FAMILIES,
  ...TOGETHER_FAMILIES,
} satisfies Record<FamilyName, Family>;
const BY_NAME = new Map<string, Family>(Object.entries(FAMILIES));

// A model whose name ends with a date belongs to the family of the name without the date.
const SNAPSHOT_DATE = /-\d{4}-\d{2}-\d{2}$/;

/** Returns the first family that one of these names has, or undefined. */
function familyOf(names: readonly string[]): Family | undefined {
  return names.flatMap((name) => BY_NAME.get(name.replace(SNAPSHOT_DATE, '')) ?? [])[0];
}
