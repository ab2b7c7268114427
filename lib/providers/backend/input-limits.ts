import { BridgeError } from '../../errors/bridge-error.ts';
import type { CallOutline } from '../provider-port.ts';
import { sentImages } from './sent-images.ts';

/** What the backend takes of sources, and of references, as a capability document says it. */
export const INPUT_LIMITS = {
  support: 'native',
  max_count: 5,
  max_bytes_each: 33_554_432,
  max_bytes_total: 67_108_864,
} as const;

/** Of images that a model does not take. */
export const NO_IMAGES = {
  support: 'unsupported',
  max_count: 0,
  max_bytes_each: 0,
  max_bytes_total: 0,
} as const;

interface Limits {
  readonly max_count: number;
  readonly max_bytes_total: number;
}

/** Backends count sources and references together, which a capability document cannot say. Throws `unsupported_capability`. */
export function refuseTooManyInputs(
  call: CallOutline,
  { max_count, max_bytes_total }: Limits = INPUT_LIMITS,
): void {
  const inputs = sentImages(call);
  const bytes = inputs.reduce((sum, input) => sum + input.bytes.length, 0);
  if (inputs.length <= max_count && bytes <= max_bytes_total) return;
  throw new BridgeError('unsupported_capability', 'the backend takes fewer or smaller images', {
    param: 'images',
    details: { field: 'images', max_count, max_bytes_total },
  });
}
