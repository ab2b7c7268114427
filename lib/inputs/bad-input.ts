import { BridgeError, type Detail } from '../errors/bridge-error.ts';
import type { Edges } from '../images/image.ts';

/**
 * Creates an `input` error. `where` is the exact field that is invalid, `field` is the field of its image, and `reason` is a
 * stable name for programs.
 */
export function badInput(
  where: string,
  field: string,
  reason: string,
  more: { readonly [key: string]: Detail | undefined } = {},
): BridgeError {
  return new BridgeError('input', 'image in the request cannot be used', {
    param: field,
    details: { field: where, reason, ...more },
  });
}

/**
 * Checks a mask. Throws `input` if the mask has no alpha channel, or if its dimensions differ from those of the first image.
 * Unknown dimensions are not compared.
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

/** Returns true if two media types are equal. `image/jpg` equals `image/jpeg`, and case is ignored. */
export function isSameType(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

function canonical(mediaType: string): string {
  const lower = mediaType.toLowerCase();
  return lower === 'image/jpg' ? 'image/jpeg' : lower;
}
