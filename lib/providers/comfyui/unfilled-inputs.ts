import { BridgeError } from '../../errors/bridge-error.ts';
import type { CallOutline } from '../provider-port.ts';
import type { Bindings } from './workflow.ts';

/** An input that gets nothing would keep the image that the workflow was exported with. Throws `unsupported_capability`. */
export function refuseUnfilled(
  { images, references, mask }: CallOutline,
  { images: bindings = [], mask: maskBinding }: Bindings,
): void {
  if (images.length + references.length !== bindings.length) {
    throw new BridgeError('unsupported_capability', 'the workflow takes another number of images', {
      param: 'images',
      details: { field: 'images', min_count: bindings.length, max_count: bindings.length },
    });
  }
  if (maskBinding !== undefined && !mask) {
    throw new BridgeError('unsupported_capability', 'the workflow takes edits with a mask only', {
      param: 'mask',
      details: { field: 'mask' },
    });
  }
}
