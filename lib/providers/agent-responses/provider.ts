import { createBackendProvider } from '../backend/backend-provider.ts';
import { refuseTooManyInputs } from '../backend/sent-images.ts';
import { createJsonBodies } from '../http/json-body.ts';
import { createEventStreams, streamLimits } from '../http/sse.ts';
import type { ProviderParts } from '../provider-parts.ts';
import type { Provider } from '../provider-port.ts';
import { createBackendClient } from './backend-client.ts';
import { capabilitiesOf } from './capabilities.ts';
import { toRequestBody } from './request-body.ts';

/** Creates the provider for the remote Responses backend. The provider uses the login of the agent. */
export function createAgentResponsesProvider(parts: ProviderParts<'agent_responses'>): Provider {
  const { name, settings, images, httpClient, credentials, slices, clock, ids } = parts;
  const { endpoint, models, responses_model: responsesModel } = settings;
  const toJsonBody = createJsonBodies({ ids, slices });
  const limits = streamLimits(images.max_encoded_bytes);
  const streams = createEventStreams({ limits, slices, clock });
  const client = createBackendClient({ httpClient, credentials, endpoint, streams, clock });

  return createBackendProvider({
    name,
    displayName: 'Agent Responses',
    settings,
    documents: models.map((model) => capabilitiesOf(name, model, settings)),
    refuse: refuseTooManyInputs,
    call: async (request, context) =>
      client.call(toRequestBody(request, responsesModel, toJsonBody), request, context),
    async probe() {
      const isReady = await credentials.probe();
      return isReady ? { ready: true } : { ready: false, errorCode: 'authentication' };
    },
  });
}
