import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { mapInputs } from '../../inputs/input-source.ts';
import { isMaskEmulated } from './negotiate-mask.ts';
import { type Negotiation, note, refuse } from './negotiation.ts';

type ImageSupport = CapabilityDocument['masks'];

/** Whether the model takes the operation and its images. A mask is never dropped, in any mode. */
export function negotiateInputs(negotiation: Negotiation): { readonly dropsReferences: boolean } {
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

/** The mask as one more image: its length is known only once it is drawn. */
function maskImage(negotiation: Negotiation): readonly number[] {
  return isMaskEmulated(negotiation) && negotiation.maskForm === undefined ? [0] : [];
}

/** Whether the references are left out. */
function negotiateReferences(negotiation: Negotiation, references: readonly number[]): boolean {
  const { capabilities, mode } = negotiation;
  if (references.length === 0) return false;
  if (capabilities.reference_images.support !== 'unsupported') {
    // More images than the model takes are refused at `images`, whichever list they stand in.
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
