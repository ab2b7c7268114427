import type { CapabilityDocument } from '../contract/provider.ts';
import type { InputSource } from '../inputs/input-source.ts';
import { type Negotiation, refuse } from './negotiation.ts';

type ImageSupport = CapabilityDocument['masks'];

/** Whether the model takes the operation and its pictures. A mask is never dropped, in any mode. */
export function negotiateInputs(negotiation: Negotiation): { readonly dropsReferences: boolean } {
  const { capabilities, request, mode } = negotiation;
  const { images, mask, references } = request.inputs;
  const isEdit = request.operation === 'edit';
  if (isEdit && (!capabilities.edits || capabilities.edit_images.support === 'unsupported')) {
    refuse(negotiation, 'operation');
  }
  if (!isEdit && !capabilities.generation) refuse(negotiation, 'operation');
  if (mask && !takes(capabilities.masks, [mask])) {
    refuse(negotiation, 'mask', { codex_code: 'AGENT_RASTER_MASK_UNSUPPORTED' });
  }
  if (images.length > 0 && !takes(capabilities.edit_images, images)) refuse(negotiation, 'images');
  return { dropsReferences: negotiateReferences() };

  function negotiateReferences(): boolean {
    if (references.length === 0) return false;
    if (capabilities.reference_images.support !== 'unsupported') {
      // More pictures than the model takes are refused at `images`, whichever list they stand in.
      if (!takes(capabilities.reference_images, references)) refuse(negotiation, 'images');
      return false;
    }
    if (mode !== 'best_effort') {
      refuse(negotiation, 'reference_images');
      return false;
    }
    negotiation.normalizations.push({
      field: 'reference_images',
      requested: references.length,
      effective: 0,
      reason: 'provider_unsupported',
    });
    return true;
  }
}

function takes(support: ImageSupport, sources: readonly InputSource[]): boolean {
  const sizes = sources.map(({ bytes }) => bytes.length);
  return (
    support.support !== 'unsupported' &&
    sources.length <= support.max_count &&
    sizes.every((size) => size <= support.max_bytes_each) &&
    sizes.reduce((sum, size) => sum + size, 0) <= support.max_bytes_total
  );
}
