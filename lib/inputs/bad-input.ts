import { BridgeError, type Detail } from '../errors/bridge-error.ts';

/** The common form of input errors: the image, the exact field, and a stable reason. */
export function badInput(
  where: string,
  field: string,
  reason: string,
  more: { readonly [key: string]: Detail | undefined } = {},
): BridgeError {
  return new BridgeError('input', 'an image of the request cannot be used', {
    param: field,
    details: { field: where, reason, ...more },
  });
}
