import type { CapabilityDocument } from '../contract/resources/provider.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { batchingMode } from './backend/plain-model.ts';
import type { Provider } from './provider-port.ts';

/** The enabled providers, which do not change after the service has started. Their models may change. */
export type ProviderRegistry = ReturnType<typeof createProviderRegistry>;

/** The settings `runtime.request`: limits on the outputs and inputs of any request. */
interface RequestLimits {
  readonly max_outputs: number;
  readonly max_inputs: number;
}

// A model name that does not match is omitted from error messages because it may be any text from a caller.
const MODEL_NAME = /^[\w.:/-]{1,128}$/;

const UNLIMITED: RequestLimits = { max_outputs: Infinity, max_inputs: Infinity };

/**
 * Creates the registry. `limits` restrict the capabilities of every model. `own` is the provider of the images that the bridge
 * makes without a model: it is found by name, but never listed or chosen.
 */
export function createProviderRegistry(
  providers: readonly Provider[],
  defaultName: string,
  limits = UNLIMITED,
  own?: Provider,
) {
  const all: readonly Provider[] = [...providers].sort((a, b) => (a.name < b.name ? -1 : 1));
  const byName: ReadonlyMap<string, Provider> = new Map(
    [...all, ...(own ? [own] : [])].map((provider) => [provider.name, provider]),
  );
  /** Returns true if a provider had the model. A request that names no provider is planned on the default provider. */
  const hasLeft = (model: string) => all.some(({ catalogue }) => catalogue?.hasLeft(model));
  return {
    /** All providers, ordered by name. */
    all,
    defaultName,
    find: (name: string) => byName.get(name),

    /**
     * Returns the capabilities of a model. If the provider does not list the model, throws `unsupported_capability`
     * with the models that the provider lists, and with the reason `model_gone` if a service no longer has the model.
     */
    capabilities(provider: Provider, model: string, param: string): CapabilityDocument {
      const document = provider.capabilities(model);
      if (document) return limited(document, limits);
      const named = MODEL_NAME.test(model) ? `the model ${model}` : 'this model';
      const message = `provider ${provider.name} does not list ${named}`;
      throw new BridgeError('unsupported_capability', message, {
        param,
        provider: provider.name,
        details: {
          field: param,
          supported_models: [...provider.describe().models],
          ...(hasLeft(model) ? { reason: 'model_gone' } : {}),
        },
      });
    },

    /** Closes all providers. Resolves when all their work has stopped. */
    async close(): Promise<void> {
      await Promise.all(all.map((provider) => provider.close()));
    },
  };
}

/** Returns the capabilities of a model, reduced to the limits that apply to every request. */
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
