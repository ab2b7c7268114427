import type { Warning } from '../../contract/reply/image-response.ts';
import { MAX_FORMAT_EDGE, type Parameters, parseSize } from '../../contract/request/parameters.ts';
import { badInput } from '../../inputs/bad-input.ts';
import type { Edges } from '../../inputs/input-source.ts';
import { hasSizes, maskCanvas } from './mask-canvas.ts';
import { type MaskPlan, type Negotiation, normalize, note, refuse } from './negotiation.ts';

const KEEPS_SIZE = { reason: 'mask_keeps_size' } as const;

/** Whether the model only takes a mask as a hint, so that the bridge has to make it exact. */
export function isMaskEmulated({ inputs, capabilities }: Negotiation): boolean {
  return inputs.mask !== undefined && capabilities.masks.support === 'emulated';
}

/**
 * Plans a mask that the bridge makes exact: the result has the size of the first image, whatever size is generated
 * (contract.md 2).
 */
export function planMask(negotiation: Negotiation): MaskPlan {
  const { inputs, capabilities, maskForm: form } = negotiation;
  note(negotiation, 'mask', 'native', 'composite', 'provider_mask_emulated_with_local_composite');
  const image = inputs.images[0]?.upright;
  keepSize(negotiation, image);
  const canvas = image && maskCanvas(capabilities.sizes, image);
  if (image && !canvas) refuse(negotiation, 'images');
  const size = canvas && hasSizes(capabilities.sizes) ? toSize(canvas) : 'auto';
  return { canvas, size, form, maxBytes: capabilities.edit_images.max_bytes_each };
}

/** Throws `input` for an emulated mask under which nothing may change: the result would be the source, and cost an image. */
export function refuseClosedMask({ inputs }: Negotiation): void {
  if (inputs.mask?.alpha === 'opaque') throw badInput('mask', 'mask', 'nothing_may_change');
}

/** Nothing but the size of the image can be delivered: another size and every hint is refused, or changed to that. */
function keepSize(negotiation: Negotiation, image: Edges | undefined): void {
  const { effective } = negotiation;
  for (const hint of ['aspect_ratio', 'resolution'] as const) {
    if (effective[hint] !== null) {
      normalize(negotiation, hint, null, 'provider_does_not_support_hint', KEEPS_SIZE);
    }
  }
  if (!image) return;
  const asked = parseSize(effective.size);
  if (asked && toSize(asked) !== toSize(image)) {
    normalize(negotiation, 'size', toSize(image), 'normalized_to_provider_size', KEEPS_SIZE);
  }
  if (Math.max(image.width, image.height) > MAX_FORMAT_EDGE[effective.output_format]) {
    refuse(negotiation, 'parameters.output_format');
  }
}

function toSize({ width, height }: Edges): string {
  return `${width}x${height}`;
}

/** Whether a format stores exactly the samples that it is given. */
export function isExact({
  output_format,
  output_compression,
}: Pick<Parameters, 'output_format' | 'output_compression'>): boolean {
  return output_format === 'png' || (output_format === 'webp' && output_compression === null);
}

export function maskWarnings({ form }: MaskPlan, effective: Parameters): readonly Warning[] {
  return [
    ...(form === undefined ? (['mask_not_native'] as const) : []),
    ...(isExact(effective) ? [] : (['mask_exact_before_encoding'] as const)),
  ];
}
