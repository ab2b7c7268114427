import type { OutputFormat } from '../../contract/request/parameters.ts';
import { drop, type Negotiation, normalize, record, refuse } from './negotiation.ts';

/** Fits everything that is one value out of a list or a range. What is `auto` is the model's to choose, and always fits. */
export function negotiateOptions(negotiation: Negotiation): void {
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
}

function fits<T extends string>(listed: readonly T[], value: T): boolean {
  return value === 'auto' || listed.includes(value);
}

/** `xhigh` and `max` come down to `high` where only that is known; anything else unknown becomes `auto`. */
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

/** The other fidelity is the nearest thing where a model takes just that one; where it takes none, there is none. */
function negotiateFidelity(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const fidelity = effective.input_fidelity;
  if (fidelity === null || capabilities.input_fidelities.includes(fidelity)) return;
  const [other] = capabilities.input_fidelities;
  if (other === undefined) drop(negotiation, 'input_fidelity', null);
  else normalize(negotiation, 'input_fidelity', other, 'normalized_to_provider_default');
}

/** What can be converted with the least loss, first. */
const BEST_SOURCES: readonly OutputFormat[] = ['png', 'webp', 'jpeg'];

/**
 * The format to ask the provider for. One that it lacks is delivered by conversion, unless `strict` refuses it; a format
 * that the request did not name may become the provider's own in every mode. `isMadeHere`: the bridge makes the image out of
 * the provider's.
 */
export function negotiateFormat(negotiation: Negotiation, isMadeHere: boolean): OutputFormat {
  const { effective, capabilities, request, mode } = negotiation;
  const wanted = effective.output_format;
  const own = BEST_SOURCES.find((format) => capabilities.output_formats.includes(format));
  if (capabilities.output_formats.includes(wanted)) {
    // Of the image as it was painted: with each loss a matte or a composite becomes worse.
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
