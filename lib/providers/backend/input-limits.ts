import { BridgeError } from '../../errors/bridge-error.ts';
import type { ProviderRequest } from '../provider-port.ts';
import { sentImages } from './sent-images.ts';

const MAX_IMAGES = 5;
const MAX_BYTES_TOTAL = 67_108_864;

/** What the backend takes of sources, and of references, as a capability document says it. */
export const INPUT_LIMITS = {
  support: 'native',
  max_count: MAX_IMAGES,
  max_bytes_each: 33_554_432,
  max_bytes_total: MAX_BYTES_TOTAL,
} as const;

/** The backend counts sources and references together, which a capability document cannot say. Throws `unsupported_capability`. */
export function refuseTooManyInputs(request: ProviderRequest): void {
  const inputs = sentImages(request);
  const bytes = inputs.reduce((sum, input) => sum + input.bytes.length, 0);
  if (inputs.length <= MAX_IMAGES && bytes <= MAX_BYTES_TOTAL) return;
  throw new BridgeError('unsupported_capability', 'the backend takes fewer or smaller images', {
    param: 'images',
    details: { field: 'images', max_count: MAX_IMAGES, max_bytes_total: MAX_BYTES_TOTAL },
  });
}
