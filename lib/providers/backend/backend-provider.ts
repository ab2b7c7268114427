import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { Provider } from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';

interface Backend extends Pick<Provider, 'name' | 'maskForm'> {
  readonly displayName: string;
  readonly settings: {
    readonly image_model: string;
    readonly max_transient_attempts: number;
    readonly transient_backoff_ms: number;
  };
  /** Capability documents of the models, in the order in which clients list the models. */
  readonly documents: readonly CapabilityDocument[];
  readonly refuse: NonNullable<Provider['refuse']>;
  /** Runs one call that `refuse` has accepted. */
  readonly call: Provider['execute'];
  readonly probe: () => ReturnType<Provider['probe']>;
}

/** Creates a provider whose calls are requests to a remote backend. */
export function createBackendProvider(backend: Backend): Provider {
  const { name, displayName, settings, documents, maskForm, refuse, call, probe } = backend;
  const models = documents.map(({ model }) => model);
  const byModel = new Map(documents.map((document) => [document.model, document]));
  const calls = createRunningCalls();
  return {
    name,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },
    maxParallelCalls: Math.max(...documents.map(({ batching }) => batching.max_parallel_outputs)),
    describe: () => ({
      displayName,
      version: documents[0]?.implementation_version ?? '',
      experimental: false,
      models,
      defaultModel: settings.image_model,
    }),
    capabilities: (model) => byModel.get(model),
    ...(maskForm ? { maskForm } : {}),
    refuse,
    async execute(request, context) {
      refuse(request);
      return calls.run(context.signal, (signal) => call(request, { ...context, signal }));
    },
    probe,
    close: calls.close,
  };
}
