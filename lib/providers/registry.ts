import type { CapabilityDocument } from '../contract/resources/provider.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { batchingMode } from './batching-mode.ts';
import type { Provider } from './provider-port.ts';

/** The enabled providers; fixed once the service has started. */
export interface ProviderRegistry {
  /** By name, ascending. */
  readonly all: readonly Provider[];
  readonly defaultName: string;
  find(name: string): Provider | undefined;
  /** Throws `unsupported_capability` with the models that the provider lists. */
  capabilities(provider: Provider, model: string, param: string): CapabilityDocument;
  /** Resolves when nothing of any provider runs any more. */
  close(): Promise<void>;
}

/** What any request may ask for and bring: settings of `runtime.request`. */
interface RequestLimits {
  readonly max_outputs: number;
  readonly max_inputs: number;
}

// Other text of a caller is never part of a message.
const MODEL_NAME = /^[\w.:/-]{1,128}$/;

const UNLIMITED: RequestLimits = { max_outputs: Infinity, max_inputs: Infinity };

export function createProviderRegistry(
  providers: readonly Provider[],
  defaultName: string,
  limits = UNLIMITED,
): ProviderRegistry {
  const all = [...providers].sort((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(all.map((provider) => [provider.name, provider]));
  return {
    all,
    defaultName,
    find: (name) => byName.get(name),
    capabilities(provider, model, param) {
      const document = provider.capabilities(model);
      if (document) return limited(document, limits);
      const named = MODEL_NAME.test(model) ? `the model ${model}` : 'this model';
      const message = `provider ${provider.name} does not list ${named}`;
      throw new BridgeError('unsupported_capability', message, {
        param,
        provider: provider.name,
        details: { field: param, supported_models: [...provider.describe().models] },
      });
    },
    async close() {
      await Promise.all(all.map((provider) => provider.close()));
    },
  };
}

/** What is left of the abilities of a model under the limits of every request. */
function limited(
  document: CapabilityDocument,
  { max_outputs, max_inputs }: RequestLimits,
): CapabilityDocument {
  const { count, batching, edit_images, reference_images } = document;
  const outputs = Math.min(count.max, max_outputs);
  const perCall = Math.min(batching.native_count.max, outputs);
  return {
    ...document,
    count: { ...count, max: outputs },
    batching: {
      ...batching,
      mode: batchingMode(outputs, perCall),
      native_count: { ...batching.native_count, max: perCall },
    },
    edit_images: { ...edit_images, max_count: Math.min(edit_images.max_count, max_inputs) },
    reference_images: {
      ...reference_images,
      max_count: Math.min(reference_images.max_count, max_inputs),
    },
  };
}
