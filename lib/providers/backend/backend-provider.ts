import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { Provider } from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { PLAIN_MODEL } from './plain-model.ts';

interface Backend extends Pick<Provider, 'name' | 'maskForm'> {
  readonly displayName: string;
  readonly settings: {
    readonly image_model: string;
    readonly digital_source_type: Provider['sourceType'];
    readonly max_transient_attempts: number;
    readonly transient_backoff_ms: number;
  };
  /**
   * Capability documents of the models, in the order in which clients list the models. A function returns the same object
   * until a document changes.
   */
  readonly documents: readonly CapabilityDocument[] | (() => readonly CapabilityDocument[]);
  /** Maximum number of concurrent calls, by default the maximum of all documents. */
  readonly maxParallelCalls?: number;
  readonly catalogue?: Provider['catalogue'];
  readonly billing?: Provider['billing'] | undefined;
  readonly refuse: NonNullable<Provider['refuse']>;
  /** Runs one call that `refuse` has accepted, now or before the call got its ticket. */
  readonly call: Provider['execute'];
  readonly probe: () => ReturnType<Provider['probe']>;
  /** Releases the resources of the provider that do not belong to a call. */
  readonly close?: () => Promise<void>;
}

/** Creates a provider whose calls are requests to a remote backend. */
export function createBackendProvider(backend: Backend): Provider {
  const { name, displayName, settings, documents, maskForm, refuse, call, probe } = backend;
  const { maxParallelCalls, catalogue, billing } = backend;
  const current = typeof documents === 'function' ? documents : () => documents;
  const parallel = current().map(({ batching }) => batching.max_parallel_outputs);
  const index = createModelIndex(current);
  const calls = createRunningCalls();
  return {
    name,
    sourceType: settings.digital_source_type,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },
    maxParallelCalls: maxParallelCalls ?? Math.max(...parallel),
    describe: () => ({
      displayName,
      version: PLAIN_MODEL.implementation_version,
      experimental: false,
      models: index().models,
      defaultModel: settings.image_model,
    }),
    capabilities: (model) => index().byModel.get(model),
    ...(maskForm ? { maskForm } : {}),
    refuse,
    async execute(request, context) {
      // A call with a ticket was accepted before. Its images may be paid for, even if the model has changed since then.
      if (request.ticket === undefined) refuse(request);
      return calls.run(context.signal, (signal) => call(request, { ...context, signal }));
    },
    probe,
    ...(catalogue ? { catalogue } : {}),
    ...(billing ? { billing } : {}),
    async close() {
      await calls.close();
      await backend.close?.();
    },
  };
}

/** Creates a function that returns the names of the models and the documents by name, both rebuilt only after a change. */
function createModelIndex(documents: () => readonly CapabilityDocument[]) {
  const toIndex = (from: readonly CapabilityDocument[]) => ({
    from,
    models: from.map(({ model }) => model),
    byModel: new Map(from.map((document) => [document.model, document])),
  });
  let index = toIndex(documents());
  return () => {
    const from = documents();
    if (from !== index.from) index = toIndex(from);
    return index;
  };
}
