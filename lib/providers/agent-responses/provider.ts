import { refuseTooManyInputs } from '../backend/sent-images.ts';
import { createJsonBodies } from '../http/json-body.ts';
import { createEventStreams, streamLimits } from '../http/sse.ts';
import type { ProviderParts } from '../provider-parts.ts';
import type {
  Provider,
  ProviderContext,
  ProviderReadiness,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { createBackendClient } from './backend-client.ts';
import { capabilitiesOf, IMPLEMENTATION_VERSION } from './capabilities.ts';
import { toRequestBody } from './request-body.ts';

/** Creates the provider for the remote Responses backend, which uses the login that is mounted for the agent. */
export function createAgentResponsesProvider(parts: ProviderParts<'agent_responses'>): Provider {
  const { name, settings, images, httpClient, credentials, slices, clock, ids } = parts;
  const { models, image_model: defaultModel, max_outputs: maxOutputs } = settings;
  const parallel = settings.max_parallel_outputs;
  const limits = {
    provider: name,
    defaultModel,
    maxOutputs,
    maxParallelOutputs: parallel === 'auto' ? maxOutputs : parallel,
  };
  const toJsonBody = createJsonBodies({ ids, slices });
  const streams = createEventStreams({
    limits: streamLimits(images.max_encoded_bytes),
    slices,
    clock,
  });
  const { endpoint } = settings;
  const client = createBackendClient({ httpClient, credentials, endpoint, streams, clock });
  const documents = new Map(models.map((model) => [model, capabilitiesOf(model, limits)]));

  const calls = createRunningCalls();

  return {
    name,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },

    describe: () => ({
      displayName: 'Agent Responses',
      version: IMPLEMENTATION_VERSION,
      experimental: false,
      models,
      defaultModel,
    }),

    capabilities: (model) => documents.get(model),

    refuse: (call) => refuseTooManyInputs(call),

    async execute(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult> {
      refuseTooManyInputs(request);
      const body = toRequestBody(request, settings.responses_model, toJsonBody);
      return calls.run(context.signal, (signal) =>
        client.call(body, request, { ...context, signal }),
      );
    },

    async probe(): Promise<ProviderReadiness> {
      const isReady = await credentials.probe();
      return isReady ? { ready: true } : { ready: false, errorCode: 'authentication' };
    },

    close: calls.close,
  };
}
