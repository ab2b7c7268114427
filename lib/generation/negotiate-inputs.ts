import type { CapabilityDocument } from '../contract/provider.ts';
import type { InputSource } from '../inputs/input-source.ts';
import { type Negotiation, note, refuse } from './negotiation.ts';

type ImageSupport = CapabilityDocument['masks'];

/** Whether the model takes the operation and its pictures. A mask is never dropped, in any mode. */
export function negotiateInputs(negotiation: Negotiation): { readonly dropsReferences: boolean } {
  const { capabilities, request } = negotiation;
  const { images, mask } = request.inputs;
  const takesEdits = capabilities.edits && capabilities.edit_images.support !== 'unsupported';
  const takesOperation = request.operation === 'edit' ? takesEdits : capabilities.generation;
  if (!takesOperation) refuse(negotiation, 'operation');
  else if (!holds(capabilities.edit_images, images)) refuse(negotiation, 'images');
  if (mask) negotiateMask(negotiation, mask);
  return { dropsReferences: negotiateReferences(negotiation) };
}

function negotiateMask(negotiation: Negotiation, mask: InputSource): void {
  const { masks } = negotiation.capabilities;
  if (masks.support === 'unsupported' || masks.max_count === 0) {
    refuse(negotiation, 'mask', { codex_code: 'AGENT_RASTER_MASK_UNSUPPORTED' });
  } else if (!holds(masks, [mask])) {
    refuse(negotiation, 'mask');
  }
}

/** Whether the references are left out. */
function negotiateReferences(negotiation: Negotiation): boolean {
  const { capabilities, mode, request } = negotiation;
  const { references } = request.inputs;
  if (references.length === 0) return false;
  if (capabilities.reference_images.support !== 'unsupported') {
    // More pictures than the model takes are refused at `images`, whichever list they stand in.
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

function holds(support: ImageSupport, sources: readonly InputSource[]): boolean {
  const sizes = sources.map(({ bytes }) => bytes.length);
  return (
    sources.length <= support.max_count &&
    sizes.every((size) => size <= support.max_bytes_each) &&
    sizes.reduce((sum, size) => sum + size, 0) <= support.max_bytes_total
  );
}
