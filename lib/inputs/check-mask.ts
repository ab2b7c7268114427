import { badInput } from './bad-input.ts';
import type { Edges } from './input-source.ts';

/**
 * Throws `input` for a mask without an alpha channel, or of other edges than the first image (contract.md 1). Edges that
 * are not known yet are not compared.
 */
export function checkMask(
  mask: { readonly hasAlpha: boolean; readonly upright: Edges | undefined },
  image: Edges | undefined,
): void {
  if (!mask.hasAlpha) throw badInput('mask', 'mask', 'no_alpha_channel');
  if (!mask.upright || !image) return;
  if (mask.upright.width !== image.width || mask.upright.height !== image.height) {
    throw badInput('mask', 'mask', 'dimensions_differ');
  }
}
