import { MAX_CANVAS } from '../../contract/request/image-input.ts';
import { CROP_MODEL, OWN_PROVIDER } from '../../contract/request/own-work.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { PLAIN_MODEL } from '../backend/plain-model.ts';
import { INPUT_LIMITS, NO_IMAGES } from '../backend/sent-images.ts';
import type { Provider, ProviderRequest, ProviderResult } from '../provider-port.ts';

/**
 * Creates the provider of the images that the bridge makes without a model. No request of a client can name the provider. The
 * image was cropped when its job was accepted, so the provider returns the input image.
 */
export function createOwnProvider({ maxBytes }: { readonly maxBytes: number }): Provider {
  const document: CapabilityDocument = {
    ...PLAIN_MODEL,
    provider: OWN_PROVIDER,
    model: CROP_MODEL,
    generation: false,
    edits: true,
    count: { min: 1, max: 1 },
    batching: { mode: 'native', native_count: { min: 1, max: 1 }, max_parallel_outputs: PARALLEL },
    sizes: { auto: true, allowed: [], arbitrary: true, min_edge: 1, max_edge: MAX_CANVAS },
    edit_images: {
      ...INPUT_LIMITS,
      max_count: 1,
      max_bytes_each: maxBytes,
      max_bytes_total: maxBytes,
    },
    reference_images: NO_IMAGES,
    source_transport: 'local',
  };
  return {
    name: OWN_PROVIDER,
    // Used only if the image has no mark, because its provider has signed the image instead.
    sourceType: 'trainedAlgorithmicMedia',
    retry: { attempts: 1, backoffMs: 0 },
    maxParallelCalls: PARALLEL,
    describe: () => ({
      displayName: 'Image Bridge',
      version: document.implementation_version,
      experimental: false,
      models: [CROP_MODEL],
      defaultModel: CROP_MODEL,
    }),
    capabilities: (model) => (model === CROP_MODEL ? document : undefined),
    async execute({ images }: ProviderRequest, { onEvent }): Promise<ProviderResult> {
      const [image] = images;
      if (!image) throw new BridgeError('internal', 'a crop has no image');
      onEvent({ type: 'progress', stage: 'dispatched' });
      return { outputs: [{ bytes: image.bytes }] };
    },
    probe: async () => ({ ready: true }),
    close: async () => {},
  };
}

/** The maximum number of images that are passed on at the same time. */
const PARALLEL = 16;
