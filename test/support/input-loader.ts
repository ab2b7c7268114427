import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { createInputLoader } from '../../lib/inputs/load-input.ts';

type Elsewhere = Parameters<typeof createInputLoader>[0];

/** A loader of inline images and of the sources that a test adds. */
export function openInputLoader(elsewhere: Partial<Elsewhere> = {}) {
  return createInputLoader({
    artifacts: {
      open: () => Promise.reject(new BridgeError('not_found', 'artifact not found')),
    },
    stored: { read: async () => undefined },
    ...elsewhere,
  });
}
