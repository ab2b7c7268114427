import type { ProviderRequest } from '../../../lib/providers/provider-port.ts';

/** The request to a provider that is measured without the rest of the bridge. */
export const IMAGE_REQUEST: ProviderRequest = {
  model: 'gpt-image-2',
  operation: 'generate',
  prompt: 'A lighthouse at dusk',
  indices: [0],
  images: [],
  references: [],
  parameters: {
    n: 1,
    size: '1024x1024',
    aspect_ratio: null,
    resolution: null,
    quality: 'auto',
    output_format: 'png',
    output_compression: null,
    background: 'auto',
    moderation: 'auto',
    partial_images: 0,
    failure_policy: 'fail_fast',
    action: 'auto',
    input_fidelity: null,
  },
};
