import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type {
  CallOutline,
  MaskForm,
  Provider,
  ProviderContext,
  ProviderReadiness,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';

interface Backend {
  /** The registered name. */
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly settings: {
    readonly image_model: string;
    readonly max_transient_attempts: number;
    readonly transient_backoff_ms: number;
  };
  /** Capability documents by model, in the order in which clients list the models. */
  readonly documents: ReadonlyMap<string, CapabilityDocument>;
  readonly maskForm?: (model: string) => MaskForm | undefined;
  readonly refuse: (call: CallOutline) => void;
  /** Runs one call that `refuse` has accepted. */
  readonly call: (request: ProviderRequest, context: ProviderContext) => Promise<ProviderResult>;
  readonly probe: () => Promise<ProviderReadiness>;
}

/** Creates a provider whose calls are requests to a remote backend. */
export function createBackendProvider(backend: Backend): Provider {
  const { name, displayName, version, settings, documents, maskForm, refuse, call, probe } =
    backend;
  const models = [...documents.keys()];
  const calls = createRunningCalls();
  return {
    name,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },
    maxParallelCalls: Math.max(
      ...[...documents.values()].map(({ batching }) => batching.max_parallel_outputs),
    ),
    describe: () => ({
      displayName,
      version,
      experimental: false,
      models,
      defaultModel: settings.image_model,
    }),
    capabilities: (model) => documents.get(model),
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
