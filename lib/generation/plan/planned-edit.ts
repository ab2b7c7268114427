import type { PlannedEdit } from '../../contract/reply/image-plan.ts';
import { parseSize } from '../../contract/request/parameters.ts';
import type { InputFacts, InputSet } from '../../inputs/input-source.ts';
import type { NegotiatedRequest } from './negotiation.ts';

/** Returns the sizes of a masked edit. Undefined if there is no mask, or if a size is not known. */
export function plannedEdit(
  { mask, effective }: Pick<NegotiatedRequest, 'mask' | 'effective'>,
  { images: [image], mask: given }: InputSet<InputFacts>,
): PlannedEdit | undefined {
  if (!given) return undefined;
  if (!mask) {
    const drawn = parseSize(effective.size);
    return drawn && { drawn, cut: { x: 0, y: 0, ...drawn }, result: drawn, put_back: false };
  }
  if (!mask.canvas || !image?.upright) return undefined;
  const { area, width, height } = mask.canvas;
  const { left: x, top: y, ...edges } = area;
  const result = { width: image.upright.width, height: image.upright.height };
  return { drawn: { width, height }, cut: { x, y, ...edges }, result, put_back: true };
}
