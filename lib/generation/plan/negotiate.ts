import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { mapInputs } from '../../inputs/input-source.ts';
import type { PlannedRequest } from '../generation-request.ts';
import { isMaskEmulated, maskWarnings, planMask, refuseClosedMask } from './negotiate-mask.ts';
import { negotiateSize } from './negotiate-size.ts';
import {
  type Circumstances,
  drop,
  type NegotiatedRequest,
  type Negotiation,
  normalize,
  note,
  record,
  refuse,
  startNegotiation,
  throwRefusals,
} from './negotiation.ts';
import { planTransparency } from './transparency.ts';

/**
 * Fits a request to the capabilities of one model. If a value does not fit, `strict` refuses the request, `normalize` changes the
 * value to the nearest supported value and reports the change, and `best_effort` also drops optional fields. Throws
 * `unsupported_capability`. Throws `input` if an emulated mask allows no change.
 */
export function negotiate(
  request: PlannedRequest,
  capabilities: CapabilityDocument,
  circumstances: Circumstances = {},
): NegotiatedRequest {
  const negotiation = startNegotiation(request, capabilities, circumstances);
  const { dropsReferences } = negotiateInputs(negotiation);
  negotiateSession(negotiation);
  const mask = isMaskEmulated(negotiation) ? planMask(negotiation) : undefined;
  if (!mask) negotiateSize(negotiation);
  negotiateOptions(negotiation);
  const transparency = planTransparency(negotiation, request.prompt);
  if (mask && transparency.kind === 'chroma_key') {
    refuse(negotiation, 'parameters.background', { reason: 'mask_excludes_chroma_key' });
  }
  const isMadeHere = mask !== undefined || transparency.kind === 'chroma_key';
  const providerFormat = negotiateFormat(negotiation, isMadeHere);
  const { warnings, ...prompts } = negotiatePrompts(negotiation, request);
  throwRefusals(negotiation);
  if (mask) refuseClosedMask(negotiation);
  const { effective, normalizations } = negotiation;
  return {
    effective,
    providerFormat,
    ...prompts,
    dropsReferences,
    transparency,
    mask,
    normalizations,
    warnings: [...warnings, ...(mask ? maskWarnings(mask, effective) : [])],
  };
}

function negotiateSession(negotiation: Negotiation): void {
  const { session } = negotiation.request;
  const { persistent_sessions, explicit_threads } = negotiation.capabilities;
  const isSupported =
    session.mode === 'isolated' ||
    (session.mode === 'persistent' && persistent_sessions) ||
    (session.mode === 'thread' && explicit_threads);
  if (!isSupported) refuse(negotiation, 'session.mode');
}

type Prompts = Pick<NegotiatedRequest, 'prompt' | 'negativePrompt' | 'warnings'>;

/** Decides how the negative prompt is sent, and refuses a required revised prompt that the model cannot return. */
function negotiatePrompts(
  negotiation: Negotiation,
  { prompt, negative_prompt: negative }: PlannedRequest,
): Prompts {
  const { request, capabilities } = negotiation;
  const { policies } = request;
  if (policies.revised_prompt === 'require' && capabilities.revised_prompt === 'unsupported') {
    refuse(negotiation, 'policies.revised_prompt');
  }
  const plain: Prompts = { prompt, negativePrompt: undefined, warnings: [] };
  if (negative === null) return plain;
  switch (wayOfNegativePrompt(negotiation)) {
    case 'native':
      return { ...plain, negativePrompt: negative };
    case 'merge':
      return {
        ...plain,
        prompt: `${prompt}\n\nAvoid: ${negative}`,
        warnings: ['negative_prompt_merged'],
      };
    case 'drop':
      // The normalization does not contain the text, because normalizations are stored and shown in places where prompts must not
      // appear.
      note(negotiation, 'negative_prompt', true, false, 'provider_unsupported');
      return plain;
    case 'refuse':
      refuse(negotiation, 'negative_prompt');
      return plain;
  }
}

/**
 * Chooses how to send the negative prompt. `merge` does not depend on the model, because merging only changes the text of the
 * prompt.
 */
function wayOfNegativePrompt({
  request,
  capabilities,
  mode,
}: Negotiation): 'native' | 'merge' | 'drop' | 'refuse' {
  const { negative_prompt: support } = capabilities;
  switch (request.policies.negative_prompt) {
    case 'reject':
      return 'refuse';
    case 'merge':
      return 'merge';
    case 'native':
      if (support === 'native') return 'native';
      return mode === 'strict' ? 'refuse' : 'merge';
    case 'auto':
      if (support === 'native') return 'native';
      if (support === 'emulated') return 'merge';
      return mode === 'best_effort' ? 'drop' : 'refuse';
  }
}

type ImageSupport = CapabilityDocument['masks'];

/** Checks that the model supports the operation and its images. A mask is never dropped, in any mode. */
function negotiateInputs(negotiation: Negotiation): { readonly dropsReferences: boolean } {
  const { capabilities, request, inputs } = negotiation;
  const { images, mask, references } = mapInputs(inputs, ({ byteLength }) => byteLength);
  const takesEdits = capabilities.edits && capabilities.edit_images.support !== 'unsupported';
  const takesOperation = request.operation === 'edit' ? takesEdits : capabilities.generation;
  if (!takesOperation) refuse(negotiation, 'operation');
  else if (!holds(capabilities.edit_images, [...images, ...maskImage(negotiation)]))
    refuse(negotiation, 'images');
  if (mask !== undefined) negotiateMask(negotiation, mask);
  return { dropsReferences: negotiateReferences(negotiation, references) };
}

function negotiateMask(negotiation: Negotiation, mask: number): void {
  const { masks } = negotiation.capabilities;
  if (masks.support === 'unsupported' || masks.max_count === 0) {
    refuse(negotiation, 'mask', { codex_code: 'AGENT_RASTER_MASK_UNSUPPORTED' });
  } else if (!holds(masks, [mask])) {
    refuse(negotiation, 'mask');
  }
}

/**
 * Returns the length in bytes of a mask that is sent as an additional image. The length is 0 because it is unknown until the mask
 * is drawn. Returns an empty list if the mask is not sent as an image.
 */
function maskImage(negotiation: Negotiation): readonly number[] {
  return isMaskEmulated(negotiation) && negotiation.maskForm === undefined ? [0] : [];
}

/** Returns true if the references are dropped. */
function negotiateReferences(negotiation: Negotiation, references: readonly number[]): boolean {
  const { capabilities, mode } = negotiation;
  if (references.length === 0) return false;
  if (capabilities.reference_images.support !== 'unsupported') {
    // The error names the field `images`, even if the reference images exceed the limits.
    if (!holds(capabilities.reference_images, references)) refuse(negotiation, 'images');
    return false;
  }
  if (mode !== 'best_effort') {
    refuse(negotiation, 'reference_images');
    return false;
  }
  note(negotiation, 'reference_images', references.length, 0, 'provider_unsupported');
  return true;
}

function holds(support: ImageSupport, sizes: readonly number[]): boolean {
  return (
    sizes.length <= support.max_count &&
    sizes.every((size) => size <= support.max_bytes_each) &&
    sizes.reduce((sum, size) => sum + size, 0) <= support.max_bytes_total
  );
}

/** Fits every parameter whose supported values are a list or a range. `auto` always fits, because the model chooses the value. */
function negotiateOptions(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const { count, partial_images: partials } = capabilities;
  if (effective.n > count.max) normalize(negotiation, 'n', count.max, 'clamped_to_provider_range');
  if (effective.n < count.min) normalize(negotiation, 'n', count.min, 'clamped_to_provider_range');
  if (effective.partial_images > partials.max) {
    normalize(negotiation, 'partial_images', partials.max, 'clamped_to_provider_range');
  }
  negotiateQuality(negotiation);
  if (!fits(capabilities.moderation, effective.moderation)) {
    normalize(negotiation, 'moderation', 'auto', 'normalized_to_provider_default');
  }
  if (!fits(capabilities.actions, effective.action)) {
    normalize(negotiation, 'action', 'auto', 'provider_uses_automatic_action');
  }
  negotiateFidelity(negotiation);
  negotiateComplexity(negotiation);
}

function fits<T extends string>(listed: readonly T[], value: T): boolean {
  return value === 'auto' || listed.includes(value);
}

/** Reduces `xhigh` and `max` to `high` if the model supports `high`. Changes any other unsupported quality to `auto`. */
function negotiateQuality(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const { quality } = effective;
  if (fits(capabilities.qualities, quality)) return;
  const isAboveHigh = quality === 'xhigh' || quality === 'max';
  if (isAboveHigh && capabilities.qualities.includes('high')) {
    normalize(negotiation, 'quality', 'high', 'clamped_to_provider_range');
  } else {
    normalize(negotiation, 'quality', 'auto', 'normalized_to_provider_default');
  }
}

/** Changes an unsupported fidelity to a supported fidelity. Drops the parameter if the model supports no fidelity. */
function negotiateFidelity(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const fidelity = effective.input_fidelity;
  if (fidelity === null || capabilities.input_fidelities.includes(fidelity)) return;
  const [other] = capabilities.input_fidelities;
  if (other === undefined) drop(negotiation, 'input_fidelity', null);
  else normalize(negotiation, 'input_fidelity', other, 'normalized_to_provider_default');
}

/**
 * Ignores a complexity that the model does not accept, unless the mode is `strict`. The mode `normalize` also ignores the value,
 * because a complexity changes no property that a client can check.
 */
function negotiateComplexity(negotiation: Negotiation): void {
  const { effective, capabilities, mode } = negotiation;
  const { complexity } = effective;
  if (complexity === undefined || capabilities.complexities?.includes(complexity)) return;
  if (mode === 'strict') {
    refuse(negotiation, 'parameters.complexity');
    return;
  }
  delete effective.complexity;
  note(negotiation, 'parameters.complexity', complexity, null, 'provider_unsupported');
}

/** The provider formats in the order of preference for a conversion. The format that loses least is first. */
const BEST_SOURCES: readonly OutputFormat[] = ['png', 'webp', 'jpeg'];

/**
 * Returns the format to request from the provider. If the provider does not support the requested format, the bridge converts the
 * image, unless the mode is `strict`. If the request names no format, every mode may change the format to one that the provider
 * supports. `isMadeHere` is true if the bridge makes the delivered image from the image of the provider.
 */
function negotiateFormat(negotiation: Negotiation, isMadeHere: boolean): OutputFormat {
  const { effective, capabilities, request, mode } = negotiation;
  const wanted = effective.output_format;
  const own = BEST_SOURCES.find((format) => capabilities.output_formats.includes(format));
  if (capabilities.output_formats.includes(wanted)) {
    // A matte or a composite needs the least lossy format, because each loss makes the result worse.
    return isMadeHere && own !== undefined ? own : wanted;
  }
  if (own === undefined) {
    refuse(negotiation, 'parameters.output_format');
    return wanted;
  }
  const mayChange = !request.formatNamed && !(own === 'jpeg' && isTransparent(negotiation));
  if (mayChange) record(negotiation, 'output_format', own, 'normalized_to_provider_default');
  else if (request.formatNamed && mode === 'strict') {
    refuse(negotiation, 'parameters.output_format');
  }
  return own;
}

function isTransparent({ effective }: Negotiation): boolean {
  return effective.background === 'transparent';
}
