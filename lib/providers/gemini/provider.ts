import { refuseTooManyInputs } from '../backend/sent-images.ts';
import { createJsonBodies } from '../http/json-body.ts';
import { createEventStreams, createReplyReader, streamLimits } from '../http/sse.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { CallOutline, Provider, ProviderRequest, ProviderResult } from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { capabilitiesOf, GEMINI_INPUTS, IMPLEMENTATION_VERSION } from './capabilities.ts';
import { createGeminiClient, toRequestBody } from './client.ts';

/** Creates the provider for one account of the Gemini API. */
export function createGeminiProvider(parts: NamedProviderParts<'gemini'>): Provider {
  const { name, settings, images, httpClient, apiKey, slices, clock, ids } = parts;
  const { models, image_model: defaultModel } = settings;
  const toJsonBody = createJsonBodies({ ids, slices });
  // The limit of the whole reply leaves room for drafts before the image.
  const limits = streamLimits(images.max_encoded_bytes);
  const replies = createEventStreams({ limits, slices, clock, openReader: createReplyReader });
  const baseUrl = settings.base_url.replace(/\/+$/, '');
  const client = createGeminiClient({ httpClient, apiKey, baseUrl, replies, clock });
  const documents = new Map(models.map((model) => [model, capabilitiesOf(name, model, settings)]));

  const calls = createRunningCalls();

  function refuse(call: CallOutline): void {
    refuseTooManyInputs(call, GEMINI_INPUTS);
  }

  return {
    name,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },

    describe: () => ({
      displayName: 'Gemini',
      version: IMPLEMENTATION_VERSION,
      experimental: false,
      models,
      defaultModel,
    }),

    capabilities: (model) => documents.get(model),

    refuse,

    async execute(request: ProviderRequest, context): Promise<ProviderResult> {
      refuse(request);
      const body = toRequestBody(request, toJsonBody);
      return calls.run(context.signal, (signal) =>
        client.call(body, request, { ...context, signal }),
      );
    },

    probe: () => apiKey.readiness(),

    close: calls.close,
  };
}
