import type { OutputFormat } from '../contract/parameters.ts';
import { type Negotiation, normalize, record, refuse } from './negotiation.ts';

/** Fits everything that is one value out of a list or a range. */
export function negotiateOptions(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const { count, partial_images: partials } = capabilities;
  if (effective.n > count.max) normalize(negotiation, 'n', count.max, 'clamped_to_provider_range');
  if (effective.n < count.min) normalize(negotiation, 'n', count.min, 'clamped_to_provider_range');
  if (effective.partial_images > partials.max) {
    normalize(negotiation, 'partial_images', partials.max, 'clamped_to_provider_range');
  }
  negotiateQuality(negotiation);
  if (!capabilities.moderation.includes(effective.moderation)) {
    normalize(negotiation, 'moderation', 'auto', 'normalized_to_provider_default');
  }
  if (!capabilities.actions.includes(effective.action)) {
    normalize(negotiation, 'action', 'auto', 'provider_uses_automatic_action');
  }
  negotiateFidelity(negotiation);
}

/** `xhigh` and `max` come down to `high` where only that is known; anything else unknown becomes `auto`. */
function negotiateQuality(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const { quality } = effective;
  if (capabilities.qualities.includes(quality)) return;
  const isAboveHigh = quality === 'xhigh' || quality === 'max';
  if (isAboveHigh && capabilities.qualities.includes('high')) {
    normalize(negotiation, 'quality', 'high', 'clamped_to_provider_range');
  } else {
    normalize(negotiation, 'quality', 'auto', 'normalized_to_provider_default');
  }
}

/** There is no nearest thing to a fidelity that a model does not take: it is dropped, or refused. */
function negotiateFidelity(negotiation: Negotiation): void {
  const { effective, capabilities, mode } = negotiation;
  const fidelity = effective.input_fidelity;
  if (fidelity === null || capabilities.input_fidelities.includes(fidelity)) return;
  if (mode === 'best_effort') record(negotiation, 'input_fidelity', null, 'provider_unsupported');
  else refuse(negotiation, 'parameters.input_fidelity');
}

/**
 * The format to ask the provider for. One that it lacks is delivered by conversion, unless `strict` refuses it; a format
 * that the request did not name may become the provider's own in every mode.
 */
export function negotiateFormat(negotiation: Negotiation): OutputFormat {
  const { effective, capabilities, request, mode } = negotiation;
  const formats = capabilities.output_formats;
  const wanted = effective.output_format;
  const [own] = formats.includes('png') ? (['png'] as const) : formats;
  if (formats.includes(wanted) || own === undefined) return wanted;
  if (!request.formatNamed) {
    record(negotiation, 'output_format', own, 'normalized_to_provider_default');
  } else if (mode === 'strict') {
    refuse(negotiation, 'parameters.output_format');
  }
  return own;
}
