import { createBackendProvider } from '../backend/backend-provider.ts';
import { refuseTooManyInputs } from '../backend/sent-images.ts';
import { createJsonBodies } from '../http/json-body.ts';
import { createEventStreams, createReplyReader, streamLimits } from '../http/sse.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { Provider } from '../provider-port.ts';
import { capabilitiesOf, GEMINI_INPUTS, IMPLEMENTATION_VERSION } from './capabilities.ts';
import { createGeminiClient, toRequestBody } from './client.ts';

/** Creates the provider for one account of the Gemini API. */
export function createGeminiProvider(parts: NamedProviderParts<'gemini'>): Provider {
  const { name, settings, images, httpClient, apiKey, slices, clock, ids } = parts;
  const toJsonBody = createJsonBodies({ ids, slices });
  // The limit of the whole reply leaves room for drafts before the image.
  const limits = streamLimits(images.max_encoded_bytes);
  const replies = createEventStreams({ limits, slices, clock, openReader: createReplyReader });
  const baseUrl = settings.base_url.replace(/\/+$/, '');
  const client = createGeminiClient({ httpClient, apiKey, baseUrl, replies, clock });

  return createBackendProvider({
    name,
    displayName: 'Gemini',
    version: IMPLEMENTATION_VERSION,
    settings,
    documents: new Map(settings.models.map((it) => [it, capabilitiesOf(name, it, settings)])),
    refuse: (call) => refuseTooManyInputs(call, GEMINI_INPUTS),
    call: async (request, context) =>
      client.call(toRequestBody(request, toJsonBody), request, context),
    probe: apiKey.readiness,
  });
}
